import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Icon } from './controls.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'bad'
}

type Say = (text: string, tone?: Toast['tone']) => void

const shownForMs = 5000
const SayContext = createContext<Say>(() => undefined)

/** Shows the result of an action. Successes disappear, errors stay until they are closed. */
export function useToast(): Say {
  return useContext(SayContext)
}

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const say = useCallback<Say>((text, tone = 'good') => {
    setToasts((old) => [...old.slice(-2), { id: (old.at(-1)?.id ?? 0) + 1, text, tone }])
  }, [])
  const close = useMemo(() => (id: number) => setToasts((old) => old.filter((toast) => toast.id !== id)), [])
  return (
    <SayContext value={say}>
      {children}
      <div className="toasts" role="status" aria-label="Messages">
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} onClose={close} />
        ))}
      </div>
    </SayContext>
  )
}

function ToastCard({ toast, onClose }: { readonly toast: Toast; readonly onClose: (id: number) => void }): ReactNode {
  useEffect(() => {
    if (toast.tone === 'bad') return
    const timer = setTimeout(() => onClose(toast.id), shownForMs)
    return () => clearTimeout(timer)
  }, [toast, onClose])
  return (
    <div className={`toast ${toast.tone}`}>
      <Icon name={toast.tone === 'good' ? 'check' : 'alert'} />
      <p>{toast.text}</p>
      <Button look="plain" isSmall isIcon aria-label="Close message" onClick={() => onClose(toast.id)}>
        <Icon name="cross" size={14} />
      </Button>
    </div>
  )
}

const copiedForMs = 1500

interface CopyButtonProps {
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
    const timer = setTimeout(() => setIsCopied(false), copiedForMs)
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
