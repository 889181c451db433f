import type { ReactNode } from 'react'

export interface ProgressBarProps {
  readonly label: string
  readonly total: number
  readonly done: number
  readonly active?: number
  readonly skipped?: number
  readonly troubled?: number
}

/** How much of a whole is done, under way, given up and in trouble, side by side. Trouble is seen however small it is. */
export function ProgressBar({
  label,
  total,
  done,
  active = 0,
  skipped = 0,
  troubled = 0,
}: ProgressBarProps): ReactNode {
  const width = (part: number): { width: string } => ({
    width: `${total <= 0 ? 0 : Math.min(100, (part / total) * 100)}%`,
  })
  const percent = total <= 0 ? 0 : Math.min(100, Math.floor((done / total) * 1000) / 10)
  return (
    <div
      className="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <i className="done" style={width(done)} />
      {skipped > 0 && <i className="skipped" style={width(skipped)} />}
      {troubled > 0 && <i className="troubled" style={width(troubled)} />}
      {active > 0 && <i className="active" style={width(active)} />}
    </div>
  )
}
