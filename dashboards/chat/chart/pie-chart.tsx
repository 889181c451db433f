import type { ReactNode } from 'react'
import { Pie } from '@visx/shape'
import { formatCompact, formatShare } from '../../kit/formats.ts'
import { pieSlices, valueText } from './chart-data.ts'
import type { ChartData } from './chart-data.ts'
import { Plot } from './plot.tsx'
import { useLookedAt } from './use-looked-at.ts'

const size = 208
const outer = size / 2 - 2

/** Parts of a whole, with their shares beside them. */
export function PieChart({ data, hole }: { readonly data: ChartData; readonly hole: boolean }): ReactNode {
  const slices = pieSlices(data)
  const lookedAt = useLookedAt(slices.length)
  const { at, look } = lookedAt
  if (slices.length === 0)
    return (
      <p className="soft chart-note">
        These values are no parts of a whole: some are below nought, or all are nought. They are in the table.
      </p>
    )
  const total = slices.reduce((sum, { value }) => sum + value, 0)
  const seen = at === undefined ? undefined : slices[at]
  return (
    <div className="pie">
      <Plot
        data={data}
        lookedAt={lookedAt}
        count={slices.length}
        say={(place) =>
          `${slices[place]?.label ?? ''}: ${valueText(slices[place]?.value ?? 0)}, ${formatShare(slices[place]?.value ?? 0, total)}`
        }
      >
        <svg width={size} height={size} viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
          <g transform={`translate(${size / 2} ${size / 2})`}>
            <Pie
              data={[...slices]}
              pieValue={({ value }) => value}
              pieSort={null}
              pieSortValues={null}
              outerRadius={outer}
              innerRadius={hole ? outer * 0.62 : 0}
              cornerRadius={2}
            >
              {({ arcs, path }) =>
                arcs.map((arc, i) => (
                  <path
                    key={i}
                    className={`slice s${arc.data.place}${at === undefined || at === i ? '' : ' unseen'}`}
                    d={path(arc) ?? ''}
                    onPointerEnter={() => look(i)}
                    onPointerDown={() => look(i)}
                  />
                ))
              }
            </Pie>
          </g>
          {hole && (
            <>
              <text className="total" x={size / 2} y={size / 2 + 2} textAnchor="middle">
                {formatCompact(seen?.value ?? total)}
              </text>
              <text x={size / 2} y={size / 2 + 20} textAnchor="middle">
                {seen === undefined ? 'in all' : formatShare(seen.value, total)}
              </text>
            </>
          )}
        </svg>
      </Plot>
      <ul className="pie-legend">
        {slices.map(({ label, value, place }, i) => (
          <li
            key={i}
            className={at === i ? 'seen' : ''}
            onPointerEnter={() => look(i)}
            onPointerLeave={() => look(undefined)}
          >
            <i className={`swatch s${place}`} />
            <span className="legend-name">{label}</span>
            <span className="number">{valueText(value)}</span>
            <span className="number soft">{formatShare(value, total)}</span>
          </li>
        ))}
      </ul>
      {data.sets.length > 1 && (
        <p className="soft chart-note">Drawn is {data.sets[0]?.label}; the others are in the table.</p>
      )}
    </div>
  )
}
