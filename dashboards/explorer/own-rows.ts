import { useEffect, useEffectEvent, useState } from 'react'

const firstRetryMs = 500
const maxRetryMs = 15_000
/** Rows of several blocks arrive at once while the worker catches up. */
const batchMs = 500

interface Message {
  readonly type: string
}

/**
 * Calls `onRows` after new rows of `<worker>.<table>`, and with 0 after removed ones.
 *
 * @returns whether new rows are received
 */
export function useOwnRows(table: string, onRows: (count: number) => void): boolean {
  const [isLive, setIsLive] = useState(false)
  const notify = useEffectEvent(onRows)
  useEffect(() => {
    let retryMs = firstRetryMs
    let retry: ReturnType<typeof setTimeout> | undefined
    let batch: ReturnType<typeof setTimeout> | undefined
    let count = 0
    let socket: WebSocket | undefined
    const flush = (): void => {
      batch = undefined
      notify(count)
      count = 0
    }
    const receive = ({ type }: Message): void => {
      if (type === 'subscribed') setIsLive(true)
      if (type !== 'own_row' && type !== 'rollback') return
      if (type === 'own_row') count++
      batch ??= setTimeout(flush, batchMs)
    }
    const connect = (isFirst: boolean): void => {
      const opened = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`)
      socket = opened
      opened.addEventListener('open', () => {
        retryMs = firstRetryMs
        opened.send(JSON.stringify({ type: 'subscribe', id: 'page', table, batch: true }))
        // Rows of the break were missed.
        if (!isFirst) notify(0)
      })
      opened.addEventListener('message', ({ data }) => {
        const received = JSON.parse(String(data)) as Message | readonly Message[]
        for (const message of Array.isArray(received) ? (received as readonly Message[]) : [received as Message])
          receive(message)
      })
      opened.addEventListener('close', () => {
        if (socket !== opened) return
        setIsLive(false)
        retry = setTimeout(() => connect(false), retryMs)
        retryMs = Math.min(maxRetryMs, retryMs * 2)
      })
    }
    connect(true)
    return () => {
      clearTimeout(retry)
      clearTimeout(batch)
      const opened = socket
      socket = undefined
      opened?.close()
      setIsLive(false)
    }
  }, [table])
  return isLive
}
