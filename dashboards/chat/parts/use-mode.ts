import { useState } from 'react'
import { keptIn } from '../../kit/kept.ts'
import type { ChatMode, ChatSettings } from '../contract.ts'

const key = 'flowfarm-chat-mode'

/** The mode that was chosen last on this device, where the service has it still; else that of the service. */
export function useMode(settings: ChatSettings | undefined): readonly [ChatMode, (mode: ChatMode) => void] {
  const [chosen, setChosen] = useState(() => keptIn('localStorage')?.getItem(key) ?? undefined)
  const mode = settings?.modes.find((each) => each.mode === chosen)?.mode ?? settings?.default_mode ?? 'balanced'
  const choose = (next: ChatMode): void => {
    setChosen(next)
    keptIn('localStorage')?.setItem(key, next)
  }
  return [mode, choose]
}
