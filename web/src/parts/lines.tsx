// lines.tsx - one or more lines over the rounds, as a drawing and as a table for whoever cannot see it.

export interface Line {
  name: string;
  tone: string;
  values: number[];
}

const WIDTH = 480;
const HEIGHT = 120;
const EDGE = 16;

export function Lines({ rounds, lines }: { rounds: number[]; lines: Line[] }): preact.JSX.Element {
  const x = (i: number): number => EDGE + (rounds.length < 2 ? 0 : (i * (WIDTH - 2 * EDGE)) / (rounds.length - 1));
  return (
    <figure class="lines">
      {lines.map((line) => {
        const most = Math.max(1, ...line.values);
        const y = (value: number): number => HEIGHT - EDGE - (value * (HEIGHT - 2 * EDGE)) / most;
        return (
          <div class="chart">
            <figcaption>
              {line.name}: {line.values.join(", ")}
            </figcaption>
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${line.name} by round: ${line.values.join(", ")}`}>
              <line class="axis" x1={EDGE} y1={HEIGHT - EDGE} x2={WIDTH - EDGE} y2={HEIGHT - EDGE} />
              <polyline class={`stroke ${line.tone}`} points={line.values.map((v, i) => `${x(i)},${y(v)}`).join(" ")} />
              {line.values.map((v, i) => (
                <circle class={`fill ${line.tone}`} cx={x(i)} cy={y(v)} r={4}>
                  <title>{`round ${rounds[i] ?? i}: ${v}`}</title>
                </circle>
              ))}
            </svg>
          </div>
        );
      })}
    </figure>
  );
}
