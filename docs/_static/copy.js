// A button on each block of code: it copies what is to be typed, without prompts and output.
function typed(text) {
  const lines = text.replace(/\n$/, "").split("\n");
  const prompts = [/^>>> ?/, /^\.\.\.(?: |$)/, /^\$ /];
  if (!lines.some((line) => /^(>>> |\$ )/.test(line))) return text;
  return lines
    .map((line) => [line, prompts.find((prompt) => prompt.test(line))])
    .filter(([, prompt]) => prompt)
    .map(([line, prompt]) => line.replace(prompt, ""))
    .join("\n");
}
document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll(".bd-article div.highlight")) {
    const code = block.querySelector("pre");
    if (!code) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.dataset.text = typed(code.textContent);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.text);
      button.textContent = "copied";
    });
    block.append(button);
  }
});
