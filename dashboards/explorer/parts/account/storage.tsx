import type { ReactNode } from 'react'
import { formatBytes } from '../../text.ts'
import { plainValue } from '../../cadence-value.ts'
import { useAnswer } from '../../queries.ts'
import { useSearchValue } from '../../../kit/router.ts'
import { Answer } from '../answer.tsx'
import { Detail, DetailList } from '../detail-list.tsx'
import { BlockLink } from '../identity.tsx'
import { ValueTree } from '../value-tree.tsx'

/** What lies in an account's storage, as the chain has it now. */
export function AccountStorage({ address }: { readonly address: string }): ReactNode {
  const query = useAnswer('/flow/account/{address}/storage', { address })
  const [path, choose] = useSearchValue('path')
  return (
    <section className="panel" aria-label="Storage">
      <Answer query={query} what="the storage of this account">
        {(answer) => {
          const facts = plainValue(answer) as Readonly<Record<string, unknown>>
          return (
            <DetailList>
              {Object.entries(facts)
                .filter(([, value]) => value !== false)
                .map(([name, value]) => (
                  <Detail key={name} name={nameOf(name)}>
                    {Array.isArray(value) ? (
                      <Paths paths={value.map(String)} chosen={path} onChoose={choose} />
                    ) : ['used', 'capacity'].includes(name) ? (
                      formatBytes(Number(value))
                    ) : name === 'height' ? (
                      <BlockLink height={Number(value)} />
                    ) : name === 'truncated' ? (
                      'There are more paths than are listed here.'
                    ) : (
                      <ValueTree value={value} />
                    )}
                  </Detail>
                ))}
            </DetailList>
          )
        }}
      </Answer>
      {path !== '' && <Item address={address} path={path} />}
    </section>
  )
}

/** What needs other words than its own. */
const names: Readonly<Record<string, string>> = { height: 'As of block', truncated: 'Not all' }

function nameOf(name: string): string {
  const own = names[name]
  if (own !== undefined) return own
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

interface PathsProps {
  readonly paths: readonly string[]
  readonly chosen: string
  readonly onChoose: (path: string) => void
}

function Paths({ paths, chosen, onChoose }: PathsProps): ReactNode {
  if (paths.length === 0) return <span className="soft">none</span>
  return (
    <ul className="chips">
      {paths.map((path) => (
        <li key={path}>
          {path.startsWith('/storage/') ? (
            <button
              type="button"
              className="button small"
              aria-pressed={path === chosen}
              onClick={() => onChoose(path)}
            >
              {path}
            </button>
          ) : (
            <code>{path}</code>
          )}
        </li>
      ))}
    </ul>
  )
}

function Item({ address, path }: { readonly address: string; readonly path: string }): ReactNode {
  const query = useAnswer('/flow/account/{address}/storage/item', { address, path: path.replace('/storage/', '') })
  return (
    <div className="panel-text">
      <h3>{path}</h3>
      <Answer query={query} what={path} rows={1}>
        {(item) => <ValueTree value={plainValue(item)} />}
      </Answer>
    </div>
  )
}
