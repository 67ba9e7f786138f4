// A table fades at its right edge while columns are beyond it.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll(".pst-scrollable-table-container")) {
    const mark = () =>
      box.classList.toggle("wide", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    box.addEventListener("scroll", mark, { passive: true });
    new ResizeObserver(mark).observe(box); // a fold that opens, a window that turns
  }
});
