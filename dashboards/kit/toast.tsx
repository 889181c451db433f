import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'bad'
}

type Say = (text: string, tone?: Toast['tone']) => void

const shownForMs = 5000
const SayContext = createContext<Say>(() => undefined)

/** Says in a corner of the page what came of an action. Good news leaves by itself, bad news stays until it is closed. */
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
