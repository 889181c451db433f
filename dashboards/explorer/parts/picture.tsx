import { useState } from 'react'
import type { ReactNode, CSSProperties } from 'react'
import { pictureSources, readGateways } from '../picture-sources.ts'
import { signOf, signSize } from '../sign.ts'

const gateways = readGateways(document)

interface PictureProps {
  readonly source: string | null
  /** What is to be seen; empty where words beside it say so. */
  readonly alt: string
  readonly size: number | 'fill'
  /** The id or name that the sign is made of where there is no picture. */
  readonly of: string
  /** What is shown in the sign in place of its pattern. */
  readonly letter?: string | undefined
  /** Whether words below it say that it is no picture. */
  readonly hasNote?: boolean
}

/**
 * A picture from anywhere: it is told nothing of this page, and waits until it is in sight. Where it cannot be had, it is
 * looked for at the next place that may have it, and in the end a sign stands for it.
 */
export function Picture({ source, alt, size, of, letter, hasNote = false }: PictureProps): ReactNode {
  // By the source: what a list shows at a place may become another thing.
  const [failed, setFailed] = useState({ source, count: 0 })
  const count = failed.source === source ? failed.count : 0
  const address = pictureSources(source, gateways)[count]
  const style = size === 'fill' ? undefined : { width: size, height: size }
  const className = size === 'fill' ? 'picture fill' : 'picture'
  if (address === undefined) {
    return (
      <>
        <span
          className={`${className} none`}
          style={style}
          role={alt === '' ? undefined : 'img'}
          aria-label={alt === '' ? undefined : `${alt}: no picture`}
        >
          <SignPicture of={of} letter={letter} />
        </span>
        {hasNote && (
          <span className="note">
            {source === null ? 'No picture of it is known' : 'Its picture cannot be had'}; this sign is made of its id.
          </span>
        )}
      </>
    )
  }
  return (
    <img
      key={address}
      className={className}
      style={style}
      src={address}
      alt={alt}
      width={size === 'fill' ? 240 : size}
      height={size === 'fill' ? 240 : size}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setFailed({ source, count: count + 1 })}
    />
  )
}

interface SignPictureProps {
  /** What the sign is made of. */
  readonly of: string
  /** Shown in place of the pattern: for where it is too small to be told from others. */
  readonly letter?: string | undefined
}

const cell = 10
const margin = 15

/** Stands in place of a picture that there is not; nothing but the id or name it is made of is in it. */
function SignPicture({ of, letter }: SignPictureProps): ReactNode {
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
