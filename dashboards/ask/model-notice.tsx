import type { ReactNode } from 'react'
import { Icon } from '../kit/icon.tsx'
import { problemText } from './api.ts'
import { useHealth } from './queries.ts'

/** Says what stands in the way of an answer before anybody asks: no service, no model, or one that only knows its examples. */
export function ModelNotice(): ReactNode {
  const { data, error } = useHealth()
  if (data === undefined)
    return error === null ? null : (
      <div className="banner bad" role="alert">
        <Icon name="alert" />
        <p>{problemText(error)} It is asked again every few seconds.</p>
      </div>
    )
  if (data.model === null)
    return (
      <div className="banner" role="note">
        <Icon name="alert" />
        <p>
          Questions in words are not answered here. {data.remedy ?? 'Set LLM_API_KEY and start the service again.'} SQL
          works as it is.
        </p>
      </div>
    )
  return data.model.is_scripted ? (
    <div className="banner" role="note">
      <Icon name="alert" />
      <p>
        A scripted model answers here: it knows the example questions and no others. Set <code>LLM_API_KEY</code> for a
        real one.
      </p>
    </div>
  ) : null
}
