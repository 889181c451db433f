import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Icon } from './controls.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'bad'
}

type ShowToast = (text: string, tone?: Toast['tone']) => void

const visibleMs = 5000
const ToastContext = createContext<ShowToast>(() => undefined)

export function useToast(): ShowToast {
  return useContext(ToastContext)
}

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const show = useCallback<ShowToast>((text, tone = 'good') => {
    setToasts((old) => [...old.slice(-2), { id: (old.at(-1)?.id ?? 0) + 1, text, tone }])
  }, [])
  const close = useMemo(() => (id: number) => setToasts((old) => old.filter((toast) => toast.id !== id)), [])
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status" aria-label="Notifications">
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} onClose={close} />
        ))}
      </div>
    </ToastContext>
  )
}

function ToastCard({ toast, onClose }: { readonly toast: Toast; readonly onClose: (id: number) => void }): ReactNode {
  useEffect(() => {
    if (toast.tone === 'bad') return
    const timer = setTimeout(() => onClose(toast.id), visibleMs)
    return () => clearTimeout(timer)
  }, [toast, onClose])
  return (
    <div className={`toast ${toast.tone}`}>
      <Icon name={toast.tone === 'good' ? 'check' : 'alert'} />
      <p>{toast.text}</p>
      <Button look="plain" isSmall isIcon aria-label="Close notification" onClick={() => onClose(toast.id)}>
        <Icon name="cross" size={14} />
      </Button>
    </div>
  )
}

const copiedMs = 1500

interface CopyButtonProps {
  readonly text: string | (() => string)
  readonly what: string
}

export function CopyButton({ text, what }: CopyButtonProps): ReactNode {
  const [isCopied, setIsCopied] = useState(false)
  const showToast = useToast()
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), copiedMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      setIsCopied(true)
    } catch (error) {
      // The clipboard is missing without HTTPS and may be denied.
      if (!(error instanceof DOMException) && !(error instanceof TypeError)) throw error
      showToast('Could not copy: the browser denied access to the clipboard.', 'bad')
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
