import type { ReactNode } from 'react'

const shapes = {
  check: <path d="m3.5 8.5 3 3 6-7" />,
  alert: (
    <path d="M8 5.5v3.25M8 11.2v.05M7.1 2.6 1.7 12a1.05 1.05 0 0 0 .9 1.6h10.8a1.05 1.05 0 0 0 .9-1.6L8.9 2.6a1.05 1.05 0 0 0-1.8 0Z" />
  ),
  wait: <path d="M8 4.5V8l2.2 1.4M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z" />,
  cross: <path d="m4.5 4.5 7 7m0-7-7 7" />,
  chevron: <path d="m6 4 4 4-4 4" />,
  external: (
    <path d="M6.5 4H4.2A1.2 1.2 0 0 0 3 5.2v6.6A1.2 1.2 0 0 0 4.2 13h6.6a1.2 1.2 0 0 0 1.2-1.2V9.5M9 3h4v4m0-4L7.5 8.5" />
  ),
  sun: (
    <path d="M8 10.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5ZM8 1.5v1m0 11v1m6.5-6.5h-1m-11 0h-1m11.1-4.6-.7.7M4.1 11.9l-.7.7m9.2 0-.7-.7M4.1 4.1l-.7-.7" />
  ),
  moon: <path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z" />,
  system: (
    <path d="M2.5 4.2A1.2 1.2 0 0 1 3.7 3h8.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1-1.2 1.2H3.7a1.2 1.2 0 0 1-1.2-1.2V4.2ZM6 13.5h4" />
  ),
  copy: (
    <path d="M5.5 5.5V3.7a1.2 1.2 0 0 1 1.2-1.2h5.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1-1.2 1.2h-1.8M3.7 5.5h5.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1-1.2 1.2H3.7a1.2 1.2 0 0 1-1.2-1.2V6.7a1.2 1.2 0 0 1 1.2-1.2Z" />
  ),
  search: <path d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14" />,
  pause: <path d="M5.5 3.5v9m5-9v9" />,
  play: <path d="M5 3.2v9.6L12.6 8 5 3.2Z" />,
  menu: <path d="M2.5 4.5h11m-11 3.5h11m-11 3.5h11" />,
  picture: (
    <path d="M3.7 2.5h8.6a1.2 1.2 0 0 1 1.2 1.2v8.6a1.2 1.2 0 0 1-1.2 1.2H3.7a1.2 1.2 0 0 1-1.2-1.2V3.7a1.2 1.2 0 0 1 1.2-1.2Zm-1 8.3 3-3 2.5 2.5 2-2 3 3M10.3 5.7v.05" />
  ),
  leave: <path d="M9.5 3H4.2A1.2 1.2 0 0 0 3 4.2v7.6A1.2 1.2 0 0 0 4.2 13h5.3M11 5.5 13.5 8 11 10.5M13.5 8H6.5" />,
} satisfies Record<string, ReactNode>

/** A drawing that only repeats what words beside it, or the name of its button, say. */
export function Icon({ name, size = 16 }: { readonly name: keyof typeof shapes; readonly size?: number }): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shapes[name]}
    </svg>
  )
}
