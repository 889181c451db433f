import { useState } from 'react'
import type { ReactNode } from 'react'
import { useParentSize } from '@visx/responsive'
import type { ContractDependencies } from '../answers.gen.ts'
import { Link } from '../../kit/router.tsx'
import { paths } from '../text.ts'
import { layOutColumns, boxHeight, graphLayers, layOutRows } from './contract-graph-layout.ts'

/** A larger graph is unreadable. */
const maxBoxes = 40
const charWidth = 6.4

export function DependencyGraph({ graph }: { readonly graph: ContractDependencies['graph'] }): ReactNode {
  const { parentRef: frame, width } = useParentSize({
    initialSize: { width: 720 },
    ignoreDimensions: ['height', 'top', 'left'],
    debounceTime: 0,
  })
  const [active, setActive] = useState<string>()
  const { root } = graph
  const all = graphLayers(root, graph.edges)
  const nearest = graph.nodes
    .filter(({ identifier }) => all.has(identifier))
    .toSorted((a, b) => Math.abs(all.get(a.identifier) ?? 0) - Math.abs(all.get(b.identifier) ?? 0))
    .slice(0, maxBoxes)
  const names = new Map(nearest.map(({ identifier, name }) => [identifier, name]))
  const edges = graph.edges.filter(({ source, target }) => names.has(source) && names.has(target))
  const layers = graphLayers(root, edges)
  const columns = layOutColumns([...names.keys()], edges, layers)
  const {
    boxes,
    lines,
    boxWidth,
    width: graphWidth,
    height,
  } = columns.width <= width ? columns : layOutRows([...names.keys()], edges, layers, width)
  const highlighted = active !== undefined && boxes.has(active) ? active : root
  const maxLength = Math.floor((boxWidth - 16) / charWidth)
  const omitted = graph.nodes.length - nearest.length
  return (
    <div ref={frame}>
      <svg
        width={graphWidth}
        height={height}
        viewBox={`0 0 ${graphWidth} ${height}`}
        className="graph"
        role="group"
        aria-label="Dependency graph"
      >
        <defs>
          {['arrow', 'arrow-near'].map((id) => (
            <marker key={id} id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M1 1L7 4L1 7" />
            </marker>
          ))}
        </defs>
        {lines
          .toSorted((a, b) => Number(isOf(a, highlighted)) - Number(isOf(b, highlighted)))
          .map((line) => (
            <path
              key={`${line.source} ${line.target}`}
              className={isOf(line, highlighted) ? 'near' : undefined}
              d={line.path}
              markerEnd={isOf(line, highlighted) ? 'url(#arrow-near)' : 'url(#arrow)'}
            />
          ))}
        {[...boxes].map(([identifier, { x, y }]) => {
          const name = names.get(identifier) ?? identifier
          const isTruncated = name.length > maxLength
          return (
            <Link
              key={identifier}
              to={paths.contract(identifier)}
              // The accessible name must contain the visible text.
              aria-label={isTruncated ? undefined : `Contract ${name}`}
              aria-current={identifier === root ? 'page' : undefined}
              onPointerEnter={() => setActive(identifier)}
              onPointerLeave={() => setActive(undefined)}
              onFocus={() => setActive(identifier)}
              onBlur={() => setActive(undefined)}
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
                {isTruncated ? `${name.slice(0, maxLength - 1)}…` : name}
              </text>
            </Link>
          )
        })}
      </svg>
      {(omitted > 0 || graph.truncated) && (
        <p className="panel-text soft">
          The graph shows the nearest {nearest.length} contracts; the lists below have more.
        </p>
      )}
    </div>
  )
}

function isOf({ source, target }: { readonly source: string; readonly target: string }, node: string): boolean {
  return source === node || target === node
}
