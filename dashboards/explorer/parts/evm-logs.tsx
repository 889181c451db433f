import type { ReactNode } from 'react'
import type { EvmDecodedCall, EvmLog } from '../gen/answers.ts'
import { sayName } from '../text.ts'
import { EvmPartyLink, Identity } from './identity.tsx'
import { ValueTree } from './value-tree.tsx'

type DecodedParameter = EvmDecodedCall['parameters'][number]

/** What a contract of the EVM was asked to do. */
export function DecodedCall({ call }: { readonly call: EvmDecodedCall }): ReactNode {
  return (
    <div className="panel-text">
      <h3>
        Called <code>{call.method_call}</code>
      </h3>
      <Parameters parameters={call.parameters} />
    </div>
  )
}

/** What contracts of the EVM told, decoded where the form is known. */
export function EvmLogs({ logs }: { readonly logs: readonly EvmLog[] }): ReactNode {
  if (logs.length === 0) return <p className="panel-text soft">Its contracts logged nothing.</p>
  return (
    <ol className="events">
      {logs.map(({ index, address, decoded, topics, data }) => (
        <li key={index}>
          <h3>
            <span className="soft">{index}</span> {decoded === null ? 'Log of unknown form' : sayName(decoded.name)} by{' '}
            <EvmPartyLink party={address} />
          </h3>
          {decoded === null ? (
            <dl className="tree">
              {topics.map((topic, i) => (
                <div key={i}>
                  <dt>topic {i}</dt>
                  <dd>
                    <Identity id={topic} what="topic" isWhole />
                  </dd>
                </div>
              ))}
              <div>
                <dt>data</dt>
                <dd>
                  <ValueTree value={data} />
                </dd>
              </div>
            </dl>
          ) : (
            <Parameters parameters={decoded.parameters} />
          )}
        </li>
      ))}
    </ol>
  )
}

function Parameters({ parameters }: { readonly parameters: readonly DecodedParameter[] }): ReactNode {
  return (
    <dl className="tree">
      {parameters.map(({ name, type, value }, i) => (
        <div key={i}>
          <dt>
            {name === '' ? i : name} <span className="note">{type}</span>
          </dt>
          <dd>
            <ValueTree value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
