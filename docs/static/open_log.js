// @ts-check
// Files that are dropped on the front page, or chosen there, go to the site of `web/` in a frame, which is loaded then.

const HERE = location.origin;

/** @param {File[]} files */
function open(files) {
  if (!files.length) return;
  const dialog = document.createElement("dialog");
  dialog.className = "log";
  const close = document.createElement("button");
  close.textContent = "Back to the documentation";
  close.onclick = () => dialog.close();
  const frame = document.createElement("iframe");
  frame.title = "The engine";
  frame.src = "web/index.html";
  /** @param {MessageEvent} event */
  const give = ({ source, origin }) => {
    if (source === frame.contentWindow && origin === HERE) frame.contentWindow?.postMessage({ files }, HERE);
  };
  addEventListener("message", give);
  dialog.onclose = () => {
    removeEventListener("message", give);
    dialog.remove(); // and with it the program and the files
  };
  dialog.append(close, frame);
  document.body.append(dialog);
  dialog.showModal();
}

for (const type of ["dragover", "drop"]) addEventListener(type, (event) => event.preventDefault());
addEventListener("drop", (event) => open([...(event.dataTransfer?.files ?? [])]));
for (const input of document.querySelectorAll("input")) {
  if (input.type === "file") {
    input.onchange = () => {
      open([...(input.files ?? [])]);
      input.value = ""; // the same file can be chosen again
    };
  }
}
