import { useState } from 'react'
import type { ReactNode } from 'react'
import { useParentSize } from '@visx/responsive'
import type { ContractDependencies } from '../answers.gen.ts'
import { Link } from '../../kit/router.tsx'
import { paths } from '../text.ts'
import { drawColumns, boxHeight, graphLayers, drawRows } from './contract-graph-layout.ts'

/** What is more can be read in the lists below; a picture of it would tell nothing. */
const maxBoxes = 40
const widthOfSign = 6.4

/** What a contract uses and what uses it, as a picture. Where one points to, the lines of it stand out. */
export function DependencyGraph({ graph }: { readonly graph: ContractDependencies['graph'] }): ReactNode {
  const { parentRef: frame, width } = useParentSize({
    initialSize: { width: 720 },
    ignoreDimensions: ['height', 'top', 'left'],
    debounceTime: 0,
  })
  const [looked, setLooked] = useState<string>()
  const { root } = graph
  const all = graphLayers(root, graph.edges)
  const nearest = graph.nodes
    .filter(({ identifier }) => all.has(identifier))
    .toSorted((a, b) => Math.abs(all.get(a.identifier) ?? 0) - Math.abs(all.get(b.identifier) ?? 0))
    .slice(0, maxBoxes)
  const names = new Map(nearest.map(({ identifier, name }) => [identifier, name]))
  const edges = graph.edges.filter(({ source, target }) => names.has(source) && names.has(target))
  const layers = graphLayers(root, edges)
  const columns = drawColumns([...names.keys()], edges, layers)
  const {
    boxes,
    lines,
    boxWidth,
    width: drawn,
    height,
  } = columns.width <= width ? columns : drawRows([...names.keys()], edges, layers, width)
  const at = looked !== undefined && boxes.has(looked) ? looked : root
  const max = Math.floor((boxWidth - 16) / widthOfSign)
  const left = graph.nodes.length - nearest.length
  return (
    <div ref={frame}>
      <svg
        width={drawn}
        height={height}
        viewBox={`0 0 ${drawn} ${height}`}
        className="graph"
        role="group"
        aria-label="Graph of the dependencies"
      >
        <defs>
          {['arrow', 'arrow-near'].map((id) => (
            <marker key={id} id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M1 1L7 4L1 7" />
            </marker>
          ))}
        </defs>
        {lines
          .toSorted((a, b) => Number(isOf(a, at)) - Number(isOf(b, at)))
          .map((line) => (
            <path
              key={`${line.source} ${line.target}`}
              className={isOf(line, at) ? 'near' : undefined}
              d={line.path}
              markerEnd={isOf(line, at) ? 'url(#arrow-near)' : 'url(#arrow)'}
            />
          ))}
        {[...boxes].map(([identifier, { x, y }]) => {
          const name = names.get(identifier) ?? identifier
          const isCut = name.length > max
          return (
            <Link
              key={identifier}
              to={paths.contract(identifier)}
              // Where its name is cut, the title names it: what is read must hold what is seen.
              aria-label={isCut ? undefined : `Contract ${name}`}
              aria-current={identifier === root ? 'page' : undefined}
              onPointerEnter={() => setLooked(identifier)}
              onPointerLeave={() => setLooked(undefined)}
              onFocus={() => setLooked(identifier)}
              onBlur={() => setLooked(undefined)}
            >
              <title>{identifier}</title>
              <rect
                className={identifier === root ? 'root' : undefined}
                x={x}
                y={y}
                width={boxWidth}
                height={boxHeight}
                rx="6"
              />
              <text x={x + boxWidth / 2} y={y + 19} textAnchor="middle">
                {isCut ? `${name.slice(0, max - 1)}…` : name}
              </text>
            </Link>
          )
        })}
      </svg>
      {(left > 0 || graph.truncated) && (
        <p className="panel-text soft">
          The picture has the nearest {nearest.length}; there are more of them in the lists.
        </p>
      )}
    </div>
  )
}

function isOf({ source, target }: { readonly source: string; readonly target: string }, node: string): boolean {
  return source === node || target === node
}
