'use strict';
(() => {
  const graph = document.getElementById('graph');
  const whole = graph.getAttribute('viewBox').split(' ').map(Number);
  let view = whole.slice();
  const show = () => graph.setAttribute('viewBox', view.join(' '));
  const scale = () => Math.max(view[2] / graph.clientWidth, view[3] / graph.clientHeight);
  const at = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(graph.getScreenCTM().inverse());

  graph.addEventListener('wheel', event => {
    event.preventDefault();
    const point = at(event);
    const factor = Math.exp(event.deltaY * 0.0015);
    view = [point.x - (point.x - view[0]) * factor, point.y - (point.y - view[1]) * factor, view[2] * factor, view[3] * factor];
    show();
  }, { passive: false });
  let last = null;
  graph.addEventListener('pointerdown', event => {
    last = event;
    graph.setPointerCapture(event.pointerId);
  });
  graph.addEventListener('pointermove', event => {
    if (last) {
      view[0] -= (event.clientX - last.clientX) * scale();
      view[1] -= (event.clientY - last.clientY) * scale();
      last = event;
      show();
    }
  });
  graph.addEventListener('pointerup', () => { last = null; });
  graph.addEventListener('dblclick', () => {
    view = whole.slice();
    show();
  });

  const choose = tensor => {
    document.querySelectorAll('.chosen').forEach(each => each.classList.remove('chosen'));
    const lines = [...graph.querySelectorAll('.crossing')].filter(each => each.dataset.tensor === tensor);
    lines.forEach(each => each.classList.add('chosen'));
    document.querySelectorAll('#crossings tbody tr').forEach(row => row.classList.toggle('chosen', row.dataset.tensor === tensor));
    if (lines.length > 0) {
      const box = lines[0].getBBox();
      const size = Math.max(box.width, box.height, 500) * 1.3;
      view = [box.x + box.width / 2 - size / 2, box.y + box.height / 2 - size / 2, size, size];
      show();
    }
  };
  document.querySelectorAll('#crossings tbody tr').forEach(row => row.addEventListener('click', () => {
    choose(row.dataset.tensor);
    graph.scrollIntoView({ block: 'nearest' });
  }));

  // A graph much taller than the window begins at its top, as wide as can be read.
  const readable = graph.clientWidth / 0.6;
  if (whole[3] > 2 * graph.clientHeight / 0.6) {
    const width = Math.min(whole[2], readable);
    view = [(whole[2] - width) / 2, 0, width, width * graph.clientHeight / graph.clientWidth];
    show();
  }
  graph.dataset.ready = [graph.querySelectorAll('.node').length, graph.querySelectorAll('.crossing').length].join(' ');
})();
