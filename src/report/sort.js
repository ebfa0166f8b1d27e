// Sorts a table of the page by the column whose head is clicked; again: the other way round.
for (const head of document.querySelectorAll("th"))
  head.addEventListener("click", () => {
    const body = head.closest("table").tBodies[0], column = head.cellIndex;
    const sign = (head.dataset.sign = head.dataset.sign === "-1" ? "1" : "-1");
    const text = (row) => row.cells[column].textContent;
    const compare = (a, b) => (isNaN(text(a)) || isNaN(text(b)) ? text(a).localeCompare(text(b)) : text(a) - text(b));
    body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
  });
