// Makes a page's figures live: values under the pointer or by the arrow keys, curves switched on and off, zoom, and axes of
// logarithms. What stands in the page is whole without it: a drawing and a table for each figure, and the numbers that this
// draws from. Nothing is fetched.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg", LETTER = 7, LINE = 16, TOP = 32, RIGHT = 14; // pixels, of letters rather more than less
  const svg = (name, attributes, parent, text) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent?.append(element);
    return element;
  };
  const html = (name, properties, parent) => {
    const element = Object.assign(document.createElement(name), properties);
    parent?.append(element);
    return element;
  };
  const write = (number) => String(+number.toPrecision(6));

  // Text in lines of so many letters at most, broken at blanks, else behind signs, else anywhere.
  const parts = (word, room) => (word.length <= room ? [word]
    : word.split(/(?<=[,:;/=])|(?<=[.-])(?=\D)/).flatMap((part) => part.match(new RegExp(`.{1,${room}}`, "gu")) ?? []));
  const lines = (text, letters) => {
    const out = [""], room = Math.max(4, Math.floor(letters));
    for (const [part, blank] of text.split(" ").flatMap((word) => parts(word, room).map((part, i) => [part, i ? "" : " "]))) {
      const longer = (out.at(-1) + blank + part).trim();
      if (longer.length <= room || !out.at(-1)) out[out.length - 1] = longer;
      else out.push(part);
    }
    return out;
  };

  // The place of a value between a and b, and back.
  const scale = (log, low, high, a, b) => {
    const f = log ? Math.log10 : (v) => v, g = log ? (v) => 10 ** v : (v) => v;
    const step = (b - a) / (f(high) - f(low));
    const to = (value) => a + (f(value) - f(low)) * step;
    return Object.assign(to, { back: (at) => g(f(low) + (at - a) / step), low, high });
  };
  const ticks = (log, low, high, count) => {
    const decades = Math.log10(high / low), out = [];
    if (log && decades >= 1) {
      const digits = decades < 3 ? [1, 2, 5] : [1], apart = Math.max(1, Math.ceil(decades / count));
      for (let e = Math.floor(Math.log10(low)); 10 ** e <= high; e += apart)
        out.push(...digits.map((d) => +(d * 10 ** e).toPrecision(6)));
    } else {
      const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
      const step = power * [1, 2, 5, 10].find((m) => m * power >= raw), first = Math.ceil(low / step);
      for (let i = 0; i <= count + 1; i++) out.push(+((first + i) * step).toPrecision(12));
    }
    return out.filter((t) => t >= low && t <= high);
  };
  // True if numbers can still be distinguished between these two.
  const apart = (low, high) => high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)) && isFinite(high - low);
  const wider = (low, high, log) => {
    if (log) return apart(low, high) ? [low / 1.1, high * 1.1] : [low / 2, high * 2];
    const margin = apart(low, high) ? 0.03 * (high - low) : Math.abs(low) / 2 || 0.5;
    return [low - margin, high + margin];
  };

  // One figure. A point is { at, mean, low, high, text, runs, ids }, low and high null where it has no interval.
  function live(figure, data) {
    const words = data.x.words;
    const state = { off: new Set(), log: { x: data.x.log, y: data.y.log }, view: null, chosen: null };
    const tools = html("div", { className: "tools" }, figure);
    const box = html("div", { className: "live" }, figure);
    const tip = html("div", { className: "tip", hidden: true }, box);
    const told = html("output", { className: "told" }, figure);
    told.setAttribute("aria-live", "polite");
    figure.querySelector(".still")?.remove();

    const can = (axis, value) => data.curves.some((c) => c.points.some((p) => value(p) > 0)) && !(axis === "x" && words);
    const shown = () => data.curves.filter((c) => !state.off.has(c));
    const reach = (p) => [p.low ?? p.mean, p.high ?? p.mean];

    function bounds() {
      const points = shown().flatMap((c) => c.points);
      const good = (axis, v) => !state.log[axis] || v > 0;
      const xs = points.map((p) => p.at).filter((v) => good("x", v)), ys = points.flatMap(reach).filter((v) => good("y", v));
      const span = (list, axis) => (list.length ? wider(Math.min(...list), Math.max(...list), state.log[axis]) : [0.5, 1.5]);
      const x = words ? [-0.5, words.length - 0.5] : span(xs, "x"), y = span(ys, "y");
      if (data.y.min !== null && good("y", data.y.min) && data.y.min < y[1]) y[0] = data.y.min;
      if (data.y.max !== null && good("y", data.y.max) && data.y.max > y[0]) y[1] = data.y.max;
      return [...x, ...y];
    }

    // The layout: the axes from `left` to `right` and from `bottom` to `top`, their titles in lines round them.
    function layout([x0, x1, y0, y1]) {
      const width = Math.max(280, box.clientWidth), bottom = TOP + Math.round(Math.min(350, Math.max(190, width * 0.42)));
      const yTitle = lines(data.y.title, (bottom - TOP) / LETTER), xTitle = lines(data.x.title, (width - 80) / LETTER);
      const yTicks = ticks(state.log.y, y0, y1, 6).map((t) => [t, write(t)]);
      const usual = LINE * yTitle.length + 16 + LETTER * Math.max(3, ...yTicks.map((t) => t[1].length));
      const most = (width * 0.4) / (LETTER * 0.71); // characters that may reach to the left
      const xTicks = words ? words.map((word, i) => [i, lines(word, most)]).filter(([i]) => i >= x0 && i <= x1)
                           : ticks(state.log.x, x0, x1, width / 90).map((t) => [t, [write(t)]]);
      const long = (texts) => LETTER * Math.max(3, ...texts.map((text) => text.length));
      const share = (t) => (state.log.x ? Math.log(t / x0) / Math.log(x1 / x0) : (t - x0) / (x1 - x0)); // share of the axis to the left of t
      const longest = long(xTicks.flatMap((t) => t[1])), steep = longest + 6 > (width - RIGHT - usual) / xTicks.length;
      const beyond = steep ? [] : xTicks.map(([t, texts]) => 0.62 * long(texts) + 2 - (1 - share(t)) * (width - usual));
      const right = width - Math.max(RIGHT, ...beyond);
      const reaches = xTicks.map(([t, texts]) => (0.75 * long(texts) + 8 - share(t) * right) / (1 - share(t) || 1));
      const left = steep ? Math.max(usual, ...reaches) : usual;
      const under = bottom + (steep ? 18 + longest * 0.71 : 24);
      return { width, height: under + LINE * xTitle.length + 6, left, right, top: TOP, bottom, under, xTitle, yTitle, xTicks, yTicks, steep };
    }

    let picture, x, y, ring, marked = [];
    function draw() {
      const [x0, x1, y0, y1] = state.view ?? bounds(), at = layout([x0, x1, y0, y1]), { width, height, left, right, bottom } = at;
      picture?.remove();
      picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, tabindex: 0, role: "application",
        "aria-label": `${data.title}: ${data.y.title} against ${data.x.title}. Arrow keys go from point to point.` });
      box.prepend(picture);
      x = scale(state.log.x, x0, x1, left, right);
      y = scale(state.log.y, y0, y1, bottom, TOP);
      const id = `clip.${figure.dataset.id}`, clip = svg("clipPath", { id }, picture);
      svg("rect", { x: left, y: TOP, width: right - left, height: bottom - TOP }, clip);
      axes(at);
      changes(bottom);
      const area = svg("g", { "clip-path": `url(#${id})` }, picture);
      for (const curve of shown()) intervals(area, curve, bottom);
      for (const curve of shown()) line(area, curve);
      marked = shown().flatMap((curve) => curve.points.map((point) => ({ curve, point })))
        .filter((m) => isFinite(x(m.point.at)) && isFinite(y(m.point.mean)) && m.point.at >= x.low && m.point.at <= x.high);
      ring = svg("circle", { r: 7, fill: "none", stroke: "#111", "stroke-width": 2, visibility: "hidden" }, picture);
      const again = marked.find((m) => m.point === state.chosen?.point);
      again ? choose(again) : forget();
    }

    function axes({ left, right, bottom, under, xTitle, yTitle, xTicks, yTicks, steep }) {
      for (const [t, text] of yTicks) {
        svg("line", { x1: left, x2: right, y1: y(t), y2: y(t), stroke: "#e4e7ea" }, picture);
        svg("text", { x: left - 8, y: y(t) + 4, "text-anchor": "end" }, picture, text);
      }
      for (const [t, text] of xTicks) {
        svg("line", { x1: x(t), x2: x(t), y1: bottom, y2: bottom + 5, stroke: "#777" }, picture);
        const place = steep ? { "text-anchor": "end", transform: `translate(${x(t) + 4} ${bottom + 16}) rotate(-45)` }
                            : { "text-anchor": "middle", x: x(t), y: bottom + 20 };
        const word = svg("text", place, picture);
        text.forEach((part, i) => svg("tspan", steep ? { x: 0, dy: i ? LINE * 0.8 : 0 } : { x: x(t), dy: i ? LINE : 0 }, word, part));
      }
      svg("path", { d: `M${left} ${TOP}V${bottom}H${right}`, fill: "none", stroke: "#777" }, picture);
      xTitle.forEach((text, i) => svg("text", { x: (left + right) / 2, y: under + LINE * (i + 0.8), "text-anchor": "middle" }, picture, text));
      yTitle.forEach((text, i) => svg("text", { "text-anchor": "middle",
        transform: `translate(${LINE * (i + 0.8)} ${(TOP + bottom) / 2}) rotate(-90)` }, picture, text));
    }

    // Words are in two rows, where there is space for them; each line shows its own under the pointer.
    function changes(bottom) {
      const ends = [-Infinity, -Infinity];
      for (const [cycle, what] of data.x.changes) {
        if (cycle < x.low || cycle > x.high) continue;
        const mark = svg("line", { x1: x(cycle), x2: x(cycle), y1: TOP, y2: bottom, stroke: "#777", "stroke-dasharray": "2 4" }, picture);
        svg("title", {}, mark, `${what} at ${write(cycle)}`);
        const half = (LETTER * what.length) / 2, row = ends.findIndex((end) => x(cycle) - half > end);
        if (row < 0) continue;
        svg("text", { x: x(cycle), y: TOP - 6 - 13 * row, "text-anchor": "middle", class: "small" }, picture, what);
        ends[row] = x(cycle) + half;
      }
    }

    const clamp = (v, bottom) => (isFinite(y(v)) ? y(v) : bottom);
    function intervals(area, curve, bottom) {
      const points = curve.points.filter((p) => p.low !== null && p.high > p.low);
      if (data.bands && points.length === curve.points.length && points.length > 1) {
        const edge = [...points.map((p) => `${x(p.at)} ${clamp(p.high, bottom)}`), ...points.reverse().map((p) => `${x(p.at)} ${clamp(p.low, bottom)}`)];
        svg("path", { d: `M${edge.join("L")}Z`, fill: curve.colour, "fill-opacity": 0.14 }, area);
      } else
        for (const p of points)
          svg("path", { d: `M${x(p.at)} ${clamp(p.high, bottom)}V${clamp(p.low, bottom)}`, stroke: curve.colour, "stroke-width": 1.5 }, area);
    }

    function line(area, curve) {
      const group = svg("g", { "data-curve": curve.name }, area);
      svg("title", {}, group, curve.name);
      const points = curve.points.filter((p) => isFinite(x(p.at)) && isFinite(y(p.mean)));
      const d = points.map((p) => `${x(p.at)} ${y(p.mean)}`).join("L");
      if (data.lines && d) svg("path", { d: `M${d}`, fill: "none", stroke: curve.colour, "stroke-width": 2, "stroke-dasharray": curve.dash }, group);
      if (points.length <= 60) for (const p of points) svg("circle", { cx: x(p.at), cy: y(p.mean), r: 3.5, fill: curve.colour }, group);
      for (const p of points) if (p.signs) svg("text", { x: x(p.at) + 5, y: y(p.mean) - 5, class: "sign" }, group, p.signs);
    }

    const where = (p) => (words ? words[Math.round(p.at)] ?? write(p.at) : write(p.at));
    const say = ({ curve, point }) => `${curve.name}: ${data.y.title} ${point.text} at ${data.x.title} ${where(point)}`;
    function choose(m) {
      state.chosen = m;
      for (const [key, value] of [["cx", x(m.point.at)], ["cy", y(m.point.mean)], ["visibility", "visible"]]) ring.setAttribute(key, value);
      tip.hidden = false;
      tip.replaceChildren(html("b", { textContent: m.curve.name }), html("br"), `${data.x.title}: ${where(m.point)}`, html("br"),
        `${data.y.title}: ${m.point.text}`, html("br"), `${m.point.runs} ${m.point.runs === 1 ? "run" : "runs"}`);
      const left = Math.min(x(m.point.at) + 12, box.clientWidth - tip.offsetWidth - 4);
      const above = y(m.point.mean) - tip.offsetHeight - 12;
      Object.assign(tip.style, { left: `${Math.max(0, left)}px`, top: `${above < 0 ? y(m.point.mean) + 14 : above}px` });
    }
    function forget() {
      state.chosen = null;
      tip.hidden = true;
      ring?.setAttribute("visibility", "hidden");
    }
    // The runs behind the chosen point, as the store calls them.
    function tell() {
      if (!state.chosen) return;
      const { point } = state.chosen, list = html("ul", {});
      for (const [name, value] of point.ids) html("li", { textContent: `run ${name}: ${write(value)}` }, list);
      const more = point.runs - point.ids.length;
      if (more > 0) html("li", { textContent: point.ids.length ? `and ${more} more` : `${more} runs` }, list);
      told.replaceChildren(say(state.chosen), list);
    }

    function nearest(event) {
      const frame = picture.getBoundingClientRect(), px = event.clientX - frame.left, py = event.clientY - frame.top;
      let best = null, least = 40;
      for (const m of marked) {
        const away = Math.hypot(x(m.point.at) - px, y(m.point.mean) - py);
        if (away < least) [best, least] = [m, away];
      }
      return best;
    }
    const see = (view) => {
      const fits = (axis, low, high) => apart(low, high) && !(state.log[axis] && low <= 0);
      if (!fits("x", view[0], view[1]) || !fits("y", view[2], view[3])) return;
      state.view = view;
      draw();
    };
    const zoom = (factor) => {
      const half = (s, a, b) => [s.back((a + b) / 2 - ((b - a) / 2) * factor), s.back((a + b) / 2 + ((b - a) / 2) * factor)];
      see([...half(x, x(x.low), x(x.high)), ...half(y, y(y.low), y(y.high))]);
    };
    const all = () => { state.view = null; draw(); };

    let from = null, frame = null;
    const at = (event) => {
      const area = picture.getBoundingClientRect();
      return [event.clientX - area.left, event.clientY - area.top];
    };
    box.addEventListener("pointermove", (event) => {
      if (!from) {
        const m = nearest(event);
        return m ? choose(m) : forget();
      }
      const [a, b] = at(event);
      frame ??= svg("rect", { fill: "#0072b2", "fill-opacity": 0.12, stroke: "#0072b2" }, picture);
      for (const [key, value] of [["x", Math.min(a, from[0])], ["y", Math.min(b, from[1])], ["width", Math.abs(a - from[0])], ["height", Math.abs(b - from[1])]])
        frame.setAttribute(key, value);
    });
    box.addEventListener("pointerdown", (event) => { if (event.pointerType === "mouse" && event.button === 0) from = at(event); });
    window.addEventListener("pointerup", (event) => {
      if (!from) return;
      const [a, b] = at(event), [c, d] = from;
      frame?.remove();
      from = frame = null;
      if (Math.abs(a - c) > 8 && Math.abs(b - d) > 8) {
        see([x.back(Math.min(a, c)), x.back(Math.max(a, c)), y.back(Math.max(b, d)), y.back(Math.min(b, d))]);
      } else tell();
    });
    box.addEventListener("pointerleave", () => { if (document.activeElement !== picture) forget(); });
    box.addEventListener("dblclick", all);
    box.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (event.key === "Enter") tell();
      else if (event.key === "Escape") all();
      else if (step && marked.length) {
        const curves = shown().filter((c) => marked.some((m) => m.curve === c)), old = state.chosen ?? marked[0];
        const row = Math.min(curves.length - 1, Math.max(0, curves.indexOf(old.curve) + step[0]));
        const points = marked.filter((m) => m.curve === curves[row]);
        const here = step[0] ? points.reduce((a, b) => (Math.abs(b.point.at - old.point.at) < Math.abs(a.point.at - old.point.at) ? b : a))
          : points[Math.min(points.length - 1, Math.max(0, points.findIndex((m) => m.point === old.point) + (state.chosen ? step[1] : 0)))];
        choose(here);
        told.textContent = say(here);
      } else return;
      event.preventDefault();
    });

    for (const curve of data.curves) {
      const button = html("button", { type: "button", className: "curve" }, tools);
      const set = (on) => {
        on ? state.off.delete(curve) : state.off.add(curve);
        button.setAttribute("aria-pressed", on);
      };
      html("span", { className: "swatch" }, button).style.background = curve.colour;
      button.append(curve.name);
      button.addEventListener("click", () => { set(state.off.has(curve)); draw(); });
      set(true);
    }
    for (const [axis, value] of [["x", (p) => p.at], ["y", (p) => p.mean]]) {
      if (!can(axis, value)) continue;
      const label = html("label", {}, tools), check = html("input", { type: "checkbox", checked: state.log[axis] }, label);
      label.append(` log ${axis}`);
      check.addEventListener("change", () => { state.log[axis] = check.checked; all(); });
    }
    for (const [text, name, act] of [["+", "zoom in", () => zoom(0.5)], ["\u2212", "zoom out", () => zoom(2)], ["all", "show all", all]]) {
      const button = html("button", { type: "button", textContent: text, title: name }, tools);
      button.setAttribute("aria-label", name);
      button.addEventListener("click", act);
    }
    let width = 0; // a change of the height alone is our own doing
    new ResizeObserver(() => {
      if (box.clientWidth === width) return;
      width = box.clientWidth;
      requestAnimationFrame(draw);
    }).observe(box);
  }

  for (const figure of document.querySelectorAll("figure[data-id]"))
    live(figure, JSON.parse(figure.querySelector("script").textContent));
})();
