import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import { useToast } from './toast.tsx'

const shownForMs = 1500

export interface CopyButtonProps {
  /** What is worth some work is made when it is asked for. */
  readonly text: string | (() => string)
  readonly what: string
}

/** Copies a text; the tick says that it was done. */
export function CopyButton({ text, what }: CopyButtonProps): ReactNode {
  const [isCopied, setIsCopied] = useState(false)
  const say = useToast()
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), shownForMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      setIsCopied(true)
    } catch (error) {
      // Without HTTPS, or where the person forbids it, a browser has no clipboard.
      if (!(error instanceof DOMException) && !(error instanceof TypeError)) throw error
      say('The browser does not allow to copy here.', 'bad')
    }
  }
  return (
    <button
      type="button"
      className="copy"
      aria-label={isCopied ? `Copied ${what}` : `Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
    </button>
  )
}
