import { useState } from 'react'
import type { ChatMode, ChatSettings } from '../contract.ts'

const key = 'flowfarm-chat-mode'

/** The mode that was chosen last on this device, where the service has it still; else that of the service. */
export function useMode(settings: ChatSettings | undefined): readonly [ChatMode, (mode: ChatMode) => void] {
  const [chosen, setChosen] = useState(() => storage()?.getItem(key) ?? undefined)
  const mode = settings?.modes.find((each) => each.mode === chosen)?.mode ?? settings?.default_mode ?? 'balanced'
  const choose = (next: ChatMode): void => {
    setChosen(next)
    storage()?.setItem(key, next)
  }
  return [mode, choose]
}

/** A browser that is told to keep nothing throws on the mere question. */
function storage(): Storage | undefined {
  try {
    return window.localStorage
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}
