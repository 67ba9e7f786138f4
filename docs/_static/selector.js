// Of the blocks of commands the one for the choice that is made.
document.addEventListener("DOMContentLoaded", () => {
  for (const form of document.querySelectorAll("form.selector")) {
    const show = () => {
      const chosen = new FormData(form);
      const npu = chosen.get("device") === "npu";
      form.querySelector("label.pair").hidden = !npu;
      for (const block of form.parentElement.querySelectorAll("div.choice"))
        block.hidden =
          block.dataset.device !== chosen.get("device") ||
          block.dataset.processor !== chosen.get("processor") ||
          (npu && block.dataset.pair !== chosen.get("pair"));
    };
    form.addEventListener("change", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    show(); // a browser may keep the choice of an earlier visit
  }
});
