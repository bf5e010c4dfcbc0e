// Called with "change": changes every control of the shown view once and calls back with how many were changed. Called with
// "shown": calls back with what all controls of the view show, by name.
const [what, done] = arguments;
const view = () => document.querySelector('.page__view:not([hidden])') ?? document.querySelector('.page__view');
const kinds = 'select, input, [aria-pressed], [role=tab], [role=radio], [role=switch], [role=columnheader], [role=treeitem][aria-expanded]';
const texts = ['text', 'search', 'number', ''];
const all = () => [...view().querySelectorAll(kinds)].filter(one => one.checkVisibility() && !one.disabled && !one.closest('[role=menu], [role=dialog], [data-transient]'));
const words = one => (one.getAttribute('aria-label') || one.labels?.[0]?.innerText || one.innerText || one.title || '').replace(/\s+/g, ' ').trim();
const pane = one => one.closest('[role=grid], [role=tabpanel], [role=group], [role=radiogroup], section, .table')?.getAttribute('aria-label') ?? '';
const name = one => `${pane(one)} / ${one.tagName.toLowerCase()} ${one.getAttribute('role') ?? one.type ?? ''} ${words(one).replace(/[↑↓]/g, '').trim()}`;
const value = one => {
    if (one.tagName === 'SELECT') return one.value;
    if (one.tagName === 'INPUT') return ['checkbox', 'radio'].includes(one.type) ? String(one.checked) : one.value;
    const said = ['aria-pressed', 'aria-selected', 'aria-checked', 'aria-sort', 'aria-expanded'].map(a => one.getAttribute(a));
    return said.filter(text => text !== null).join();
};
const frames = async n => { for (; 0 < n; n--) await new Promise(requestAnimationFrame); };
// A parameter that rereads the file takes the view away until it is read.
const isBusy = () => document.documentElement.dataset.lanescopeState === 'loading' || !view() || document.querySelector('[aria-busy=true]');
const calm = async () => {
    let n = 0;
    const watch = new MutationObserver(() => { n = 0; });
    watch.observe(document.body, { childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: ['aria-busy', 'aria-pressed', 'aria-sort', 'aria-selected'] });
    for (let waited = 0; n < 8 && waited < 600; waited++) {
        await frames(1);
        n = isBusy() ? 0 : n + 1;
    }
    watch.disconnect();
};
const set = (one, text) => {
    const kind = one.tagName === 'SELECT' ? HTMLSelectElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(one, text);
    one.dispatchEvent(new Event('input', { bubbles: true }));
    one.dispatchEvent(new Event('change', { bubbles: true }));
};
const change = one => {
    if (one.tagName === 'SELECT') {
        const others = [...one.options].filter(option => !option.disabled && option.value !== one.value);
        if (!others.length) return false;
        set(one, others[others.length - 1].value);
    } else if (one.tagName === 'INPUT' && texts.includes(one.type)) {
        if (one.type !== 'search') return false; // parameters have journeys of their own
        set(one, '1');
    } else if (one.getAttribute('role') === 'columnheader') {
        if (!one.querySelector('button')) return false;
        one.querySelector('button').click();
    } else if (one.getAttribute('role') === 'treeitem') {
        const caret = one.querySelector('button[aria-expanded], .heads__caret');
        if (!caret) return false;
        caret.click();
    } else {
        if (one.getAttribute('aria-selected') === 'true' || one.getAttribute('aria-checked') === 'true') return false;
        one.click();
    }
    return true;
};
const shown = () => {
    const found = {};
    for (const one of all()) {
        let key = name(one);
        while (key in found) key += '′';
        found[key] = value(one);
    }
    return found;
};
(async () => {
    await calm();
    if (what === 'shown') return done(shown());
    const seen = new Set();
    let n = 0;
    for (let left = 60; 0 < left; left--) {
        // One of each kind in a pane: of several columns or rows the last one counts.
        const key = one => name(one).replace(/\d+/g, '#').replace(/(columnheader|treeitem) .*/, '$1');
        const next = all().find(one => !seen.has(key(one)));
        if (!next) break;
        seen.add(key(next));
        if (change(next)) {
            n++;
            await calm();
        }
    }
    done(n);
})();
