import { useState } from 'react'
import type { ReactNode } from 'react'
import { Icon } from '../../kit/icon.tsx'

const gateway = 'https://ipfs.io/ipfs/'

/** Where a picture may be had: by HTTPS, or from IPFS by a gateway; nothing else is asked for. */
export function pictureAddress(source: string | null): string | undefined {
  if (source === null) return undefined
  const content = /^ipfs:\/\/(?:ipfs\/)?([\w./-]+)$/.exec(source)?.[1]
  // Two dots would lead to other places of the gateway.
  if (content !== undefined) return content.split('/').includes('..') ? undefined : `${gateway}${content}`
  return URL.canParse(source) && new URL(source).protocol === 'https:' ? source : undefined
}

export interface PictureProps {
  readonly source: string | null
  /** What is to be seen; empty where words beside it say so. */
  readonly alt: string
  readonly size: number | 'fill'
}

/** A picture from anywhere: it is told nothing of this page, waits until it is in sight, and a broken one is replaced. */
export function Picture({ source, alt, size }: PictureProps): ReactNode {
  const address = pictureAddress(source)
  const [broken, setBroken] = useState<string>()
  const style = size === 'fill' ? undefined : { width: size, height: size }
  const className = size === 'fill' ? 'picture fill' : 'picture'
  if (address === undefined || broken === address) {
    return (
      <span className={`${className} none`} style={style} role={alt === '' ? undefined : 'img'} aria-label={alt || undefined}>
        <Icon name="picture" size={size === 'fill' ? 28 : Math.min(28, size * 0.6)} />
      </span>
    )
  }
  return (
    <img
      className={className}
      style={style}
      src={address}
      alt={alt}
      width={size === 'fill' ? 240 : size}
      height={size === 'fill' ? 240 : size}
      loading="lazy"
      decoding="async"
      referrerPolicy="no-referrer"
      onError={() => setBroken(address)}
    />
  )
}
