import type { ReactNode } from 'react'

interface HeightFieldProps {
  readonly name: string
  readonly height: string
  readonly onChange: (height: string) => void
}

/** A height that a person writes, by its digits. */
export function HeightField({ name, height, onChange }: HeightFieldProps): ReactNode {
  return (
    <label className="field">
      <span>{name}</span>
      <input
        className="input"
        inputMode="numeric"
        pattern="\d+"
        required
        value={height}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  )
}
