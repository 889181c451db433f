import type { ReactNode } from 'react'
import { useState } from 'react'
import { Button } from '../kit/controls.tsx'
import { formatNumber } from '../kit/formats.ts'

const colours = { ok: '%232f9e55', alert: '%23dc3b30' } as const

export function showFavicon(state: keyof typeof colours): void {
  const link =
    document.querySelector<HTMLLinkElement>('link[rel=icon]') ??
    document.head.appendChild(document.createElement('link'))
  link.rel = 'icon'
  link.type = 'image/svg+xml'
  const svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18'"
  const bars = ["y='2' width='16'", "y='7.3' width='16'", "y='12.6' width='9'"]
    .map((bar) => `<rect x='1' height='3.4' rx='1.7' ${bar}/>`)
    .join('')
  link.href = `data:image/svg+xml,${svg} fill='${colours[state]}'>${bars}</svg>`
}

const limits = [8, 50, 100] as const

export function useLimit(): [number, () => void] {
  const [step, setStep] = useState(0)
  return [limits[step] ?? 100, () => setStep((old) => Math.min(limits.length - 1, old + 1))]
}

interface ShowMoreProps {
  readonly shown: number
  readonly total: number
  readonly limit: number
  readonly onMore: () => void
}

export function ShowMore({ shown, total, limit, onMore }: ShowMoreProps): ReactNode {
  if (shown >= total) return null
  const isLast = limit >= (limits.at(-1) ?? 0)
  return (
    <div className="show-more">
      <span className="soft">
        {formatNumber(shown)} of {formatNumber(total)}
        {isLast ? '. Use the filters to see the rest.' : ''}
      </span>
      {!isLast && (
        <Button isSmall onClick={onMore}>
          Show more
        </Button>
      )}
    </div>
  )
}

interface HeightFieldProps {
  readonly name: string
  readonly height: string
  readonly placeholder?: string
  readonly onChange: (height: string) => void
}

export function HeightField({ name, height, placeholder, onChange }: HeightFieldProps): ReactNode {
  return (
    <label className="field">
      <span>{name}</span>
      <input
        className="input"
        inputMode="numeric"
        pattern="\d+"
        required={placeholder === undefined}
        placeholder={placeholder}
        value={height}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  )
}
