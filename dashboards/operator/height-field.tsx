import type { ReactNode } from 'react'

interface HeightFieldProps {
  readonly name: string
  readonly height: string
  /** Shown while it is empty, which it may be then. */
  readonly placeholder?: string
  readonly onChange: (height: string) => void
}

/** A height that a person writes, by its digits. */
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
