# The driver of the browser sees what it is there to see.
. "$RIPSTOP_SOURCE/tests/browser/lib.sh"
needs_browser
cat >page.html <<'PAGE'
<!doctype html>
<meta name="viewport" content="width=device-width">
<title>plain</title>
<style>
  body { background: #fff }
  @media (prefers-color-scheme: dark) { body { background: #111 } }
  @media (max-width: 400px) { button { width: 100% } }
</style>
<button onclick="document.title = event.shiftKey ? 'shifted' : 'clicked'">A button</button>
<input aria-label="words">
<script>
  if (location.hash) {
    console.error('a complaint');
    fetch('http://example.com/elsewhere').catch(() => {});
  }
</script>
PAGE
passes drive_check.mjs "file://$PWD/page.html" $axe
needs_axe
finish
