import type { CSSProperties, ReactNode } from 'react'
import { signOf, signSize } from '../sign.ts'

export interface SignPictureProps {
  /** What the sign is made of. */
  readonly of: string
  /** Shown in place of the pattern: for where it is too small to be told from others. */
  readonly letter?: string | undefined
}

const cell = 10
const margin = 15

/** Stands in place of a picture that there is not; nothing but the id or name it is made of is in it. */
export function SignPicture({ of, letter }: SignPictureProps): ReactNode {
  const { hue, cells } = signOf(of)
  const size = signSize * cell + 2 * margin
  return (
    <svg
      className="sign"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      style={{ '--hue': hue } as CSSProperties}
      aria-hidden="true"
    >
      <rect width={size} height={size} />
      {letter === undefined ? (
        cells.map(([column, row]) => (
          <rect
            key={`${column} ${row}`}
            className="cell"
            x={margin + column * cell}
            y={margin + row * cell}
            width={cell}
            height={cell}
          />
        ))
      ) : (
        <text x={size / 2} y={size / 2} dy=".36em" textAnchor="middle">
          {letter}
        </text>
      )}
    </svg>
  )
}
