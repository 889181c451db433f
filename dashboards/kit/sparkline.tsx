import type { ReactNode } from 'react'

export interface SparklineProps {
  /** Oldest first; at least two for a line. */
  readonly values: readonly number[]
  readonly width?: number
  readonly height?: number
}

/** How a number went lately, from nought to its highest; for the eye only, the number itself stands beside it. */
export function Sparkline({ values, width = 56, height = 18 }: SparklineProps): ReactNode {
  const top = Math.max(...values, 1e-9)
  const points = values.map((value, i) => {
    const x = values.length < 2 ? width : (i / (values.length - 1)) * width
    return `${x.toFixed(1)} ${(height - 1 - (value / top) * (height - 2)).toFixed(1)}`
  })
  const line = points.length < 2 || values.every((value) => value === 0) ? '' : `M${points.join('L')}`
  return (
    <svg className="sparkline" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {line !== '' && <path className="area" d={`${line}L${width} ${height}L0 ${height}Z`} />}
      {line !== '' && <path d={line} />}
    </svg>
  )
}
