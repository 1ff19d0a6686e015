// layout.ts - a layered drawing of a graph whose ranks are known: nodes of one round stand in one column.
//
// The order within a column is found by sweeping: each node moves to the mean place of its neighbours in the columns
// before it, then after it, a few times. Linear in nodes and edges for each sweep.

export interface Node {
  id: string;
  rank: number;
}

export interface Link {
  from: string;
  to: string;
}

export interface Point {
  x: number;
  y: number;
}

const SWEEPS = 8;

/** Columns by rank, in the order of their places. */
function columnsOf(nodes: Node[]): string[][] {
  const columns = new Map<number, string[]>();
  for (const { id, rank } of nodes) {
    const column = columns.get(rank);
    if (column) column.push(id);
    else columns.set(rank, [id]);
  }
  return [...columns.entries()].sort(([a], [b]) => a - b).map(([, column]) => column);
}

export function layers(nodes: Node[], links: Link[], gap: { x: number; y: number }): Map<string, Point> {
  const columns = columnsOf(nodes);
  const near = new Map<string, string[]>(nodes.map((n) => [n.id, []]));
  for (const { from, to } of links) {
    if (!near.has(from) || !near.has(to)) continue;
    near.get(from)?.push(to);
    near.get(to)?.push(from);
  }
  const place = new Map<string, number>();
  const settle = (column: string[]): void => column.forEach((id, i) => place.set(id, i - (column.length - 1) / 2));
  columns.forEach(settle);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const order = sweep % 2 ? [...columns].reverse() : columns;
    for (const column of order) {
      const mean = new Map<string, number>();
      for (const id of column) {
        const around = near.get(id) ?? [];
        const sum = around.reduce((all, other) => all + (place.get(other) ?? 0), 0);
        mean.set(id, around.length ? sum / around.length : (place.get(id) ?? 0));
      }
      column.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0));
      settle(column);
    }
  }
  const points = new Map<string, Point>();
  columns.forEach((column, i) => column.forEach((id) => points.set(id, { x: i * gap.x, y: (place.get(id) ?? 0) * gap.y })));
  return points;
}
