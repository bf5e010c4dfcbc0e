// Words of the page that are still English in a Chinese view: texts and names that the tables have a translation of.
const tables = arguments[0];
const known = new Map(tables.split('\n').map((line) => line.split('\t')).filter((pair) => pair.length === 2 && pair[0] !== pair[1]));
const left = new Set();
const look = (text, of, how) => {
  const plain = (text ?? '').replace(/\s+/g, ' ').trim();
  if (known.has(plain)) left.add(`${how} of ${of.tagName.toLowerCase()}.${String(of.className?.baseVal ?? of.className).split(' ')[0]}: ${plain} (${known.get(plain)})`);
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const of = node.parentElement;
  if (of.matches('.name > span')) continue; // part of a name
  if (!of.closest('script, style, noscript, template, [hidden]') && of.checkVisibility()) look(node.data, of, 'text');
}
for (const one of document.querySelectorAll('.name')) if (one.checkVisibility()) look(one.textContent, one, 'text');
for (const one of document.querySelectorAll('[aria-label], [title], [data-tip], [placeholder]')) {
  if (!one.checkVisibility()) continue;
  for (const name of ['aria-label', 'title', 'data-tip', 'placeholder']) look(one.getAttribute(name), one, name);
}
return [...left];
