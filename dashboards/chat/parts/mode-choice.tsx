import type { ReactNode } from 'react'
import type { ChatMode, ChatSettings } from '../contract.ts'

const words: Readonly<Record<ChatMode, { readonly name: string; readonly about: string }>> = {
  fast: { name: 'Fast', about: 'the smallest model, for simple questions' },
  balanced: { name: 'Balanced', about: 'good answers in reasonable time' },
  deep: { name: 'Deep', about: 'the largest model, which thinks before it answers' },
}

export interface ModeChoiceProps {
  readonly modes: ChatSettings['modes']
  readonly mode: ChatMode
  readonly onMode: (mode: ChatMode) => void
}

/** How much an answer may cost, where there is a choice. */
export function ModeChoice({ modes, mode, onMode }: ModeChoiceProps): ReactNode {
  const chosen = modes.find((each) => each.mode === mode)
  return (
    <>
      {modes.length > 1 && (
        <select
          className="mode"
          aria-label="Mode"
          title={words[mode].about}
          value={mode}
          onChange={(event) => onMode(modes.find((each) => each.mode === event.target.value)?.mode ?? mode)}
        >
          {modes.map((each) => (
            <option key={each.mode} value={each.mode} title={words[each.mode].about}>
              {words[each.mode].name}
            </option>
          ))}
        </select>
      )}
      {chosen?.model.startsWith('scripted') === false && (
        <span className="mode-model soft">{chosen.model.split('/').at(-1)}</span>
      )}
    </>
  )
}
