// Waits until the page has drawn everything and nothing moves any more: no request, no animation, one size twice.
export async function still(page) {
  // A deployment that is watched keeps its request open.
  await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => {});
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
    const picture = () => [...document.querySelectorAll('.svelte-flow__viewport')].map((one) => one.style.transform).join() + document.body.scrollHeight;
    for (let [was, same, count] = ['', 0, 0]; same < 3 && count < 120; count += 1) {
      await Promise.allSettled(document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity).map((one) => one.finished));
      await frame();
      same = picture() === was ? same + 1 : 0;
      was = picture();
    }
  });
}
