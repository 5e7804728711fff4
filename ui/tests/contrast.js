// Contrast as WCAG 2 computes it, in the page: every text that is shown against what is behind it, and the edges of
// fields and buttons. Runs in the browser, so it uses nothing from outside.

export function contrast() {
  const parts = (text) => {
    const srgb = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/.exec(text);
    if (srgb) return [Number(srgb[1]) * 255, Number(srgb[2]) * 255, Number(srgb[3]) * 255, srgb[4] === undefined ? 1 : Number(srgb[4])];
    const rgb = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)/.exec(text);
    return rgb ? [Number(rgb[1]), Number(rgb[2]), Number(rgb[3]), rgb[4] === undefined ? 1 : Number(rgb[4])] : null;
  };
  const over = (top, below) => { const a = top[3]; return [0, 1, 2].map((at) => top[at] * a + below[at] * (1 - a)).concat(1); };
  const light = (colour) => { const [r, g, b] = colour.slice(0, 3).map((one) => { const c = one / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((one, other) => other - one); return (x + 0.05) / (y + 0.05); };
  // What is behind an element: its own grounds and those of everything around it.
  const ground = (element, own) => {
    const layers = [];
    for (let at = own ? element : element.parentElement; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour && colour[3] > 0) layers.push(colour);
      if (colour && colour[3] === 1) break;
    }
    return layers.reduceRight((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  // In a picture the ground of a text is the box before it in its group.
  const drawnGround = (text) => {
    const box = [...(text.parentElement?.children ?? [])].filter((one) => one.tagName === 'rect' && one.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING).map((one) => parts(getComputedStyle(one).fill)).find((colour) => colour && colour[3] === 1);
    return box ?? ground(text.closest('svg'), true);
  };
  const isShown = (element) => { const box = element.getBoundingClientRect(); const style = getComputedStyle(element); return box.width > 1 && box.height > 1 && style.visibility !== 'hidden' && style.opacity !== '0' && box.right > 0; };
  const found = [];
  let count = 0;
  for (const element of document.body.querySelectorAll('*')) {
    const style = getComputedStyle(element);
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const isDrawn = element.namespaceURI.endsWith('svg');
    if (hasText && element.tagName !== 'title' && element.tagName !== 'OPTION' && isShown(element) && !element.closest(':disabled, script, style, noscript')) {
      const behind = isDrawn ? drawnGround(element) : ground(element, true);
      const colour = parts(isDrawn ? style.fill : style.color);
      if (!colour) continue;
      count += 1;
      const size = parseFloat(style.fontSize);
      const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
      const value = ratio(over(colour, behind), behind);
      if (value < least) found.push(`${value.toFixed(2)} < ${least}: “${element.textContent.trim().slice(0, 40)}” (${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''})`);
    }
    // The edge of a field or a button tells that it is one.
    if (['INPUT', 'SELECT', 'TEXTAREA'].includes(element.tagName) && !['range', 'checkbox'].includes(element.type) && isShown(element) && !element.disabled) {
      const edge = parts(style.borderTopColor);
      const value = ratio(over(edge, ground(element, false)), ground(element, false));
      const hint = parts(getComputedStyle(element, '::placeholder').color);
      if (element.placeholder && hint) { count += 1; const said = ratio(over(hint, ground(element, true)), ground(element, true)); if (said < 4.5) found.push(`${said.toFixed(2)} < 4.5: placeholder “${element.placeholder}”`); }
      if (value < 3) found.push(`edge ${value.toFixed(2)} < 3: ${element.tagName.toLowerCase()} ${element.getAttribute('data-test') ?? ''}`);
    }
  }
  return { count, found };
}
