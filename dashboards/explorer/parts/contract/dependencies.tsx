import type { ReactNode } from 'react'
import { NothingHere } from '../../../kit/state.tsx'
import type { ContractDependencies } from '../../gen/answers.ts'
import { Link } from '../../link.tsx'
import { paths } from '../../paths.ts'
import { useAnswer } from '../../queries.ts'
import { Answer } from '../answer.tsx'
import { ContractLink } from '../identity.tsx'
import { placeNodes } from './place-nodes.ts'

const box = { width: 150, height: 30 }

/** What a contract uses and what uses it, as a picture and as lists. */
export function Dependencies({ identifier }: { readonly identifier: string }): ReactNode {
  const query = useAnswer('/flow/contract/{identifier}/dependencies', { identifier, depth: 2 })
  return (
    <section className="panel" aria-label="Dependencies">
      <Answer query={query} what="the dependencies">
        {({ data: [found] }) =>
          found === undefined || found.graph.nodes.length < 2 ? (
            <NothingHere title="It stands alone">It uses no other contract, and no other uses it.</NothingHere>
          ) : (
            <>
              <Graph dependencies={found} />
              <Lists dependencies={found} />
            </>
          )
        }
      </Answer>
    </section>
  )
}

function Graph({ dependencies: { graph } }: { readonly dependencies: ContractDependencies }): ReactNode {
  const { places, width, height } = placeNodes(graph.root, graph.nodes.map(({ identifier }) => identifier), graph.edges)
  return (
    <div className="graph-scroll" tabIndex={0} role="group" aria-label="Graph of the dependencies">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} className="graph">
        {graph.edges.map(({ source, target }) => {
          const from = places.get(source)
          const to = places.get(target)
          if (from === undefined || to === undefined) return null
          const bend = (to.x - from.x - box.width) / 2
          return (
            <path
              key={`${source} ${target}`}
              d={`M${from.x + box.width} ${from.y + 15}c${bend} 0 ${bend} ${to.y - from.y} ${to.x - from.x - box.width} ${to.y - from.y}`}
            />
          )
        })}
        {graph.nodes.map(({ identifier, name }) => {
          const place = places.get(identifier)
          if (place === undefined) return null
          return (
            <Link key={identifier} to={paths.contract(identifier)} aria-label={`Contract ${name}`}>
              <title>{identifier}</title>
              <rect
                className={identifier === graph.root ? 'root' : undefined}
                x={place.x}
                y={place.y}
                width={box.width}
                height={box.height}
                rx="6"
              />
              <text x={place.x + box.width / 2} y={place.y + 19} textAnchor="middle">
                {name.length > 20 ? `${name.slice(0, 19)}…` : name}
              </text>
            </Link>
          )
        })}
      </svg>
      {graph.truncated && <p className="panel-text soft">There are more; the nearest ones are shown.</p>}
    </div>
  )
}

function Lists({ dependencies: { imports, dependents, dependent_count: count } }: { readonly dependencies: ContractDependencies }): ReactNode {
  return (
    <>
      <div className="panel-text">
        <h3>Uses {imports.length}</h3>
        <References contracts={imports} />
      </div>
      <div className="panel-text">
        <h3>Is used by {count}</h3>
        <References contracts={dependents} />
      </div>
    </>
  )
}

function References({ contracts }: { readonly contracts: ContractDependencies['imports'] }): ReactNode {
  if (contracts.length === 0) return <p className="soft">none</p>
  return (
    <ul className="chips">
      {contracts.map(({ identifier }) => (
        <li key={identifier}>
          <ContractLink identifier={identifier} />
        </li>
      ))}
    </ul>
  )
}
