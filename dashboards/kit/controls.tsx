import type { ComponentProps, ReactNode } from 'react'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  readonly look?: 'strong' | 'danger' | 'plain'
  readonly isSmall?: boolean
  /** Requires an `aria-label`. */
  readonly isIcon?: boolean
}

export function Button({ look, isSmall = false, isIcon = false, type = 'button', ...rest }: ButtonProps): ReactNode {
  const names = ['button', look, isSmall ? 'small' : '', isIcon ? 'icon' : '']
  return <button type={type} className={names.filter(Boolean).join(' ')} {...rest} />
}

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  readonly onSubmit: () => void
}

/** Submits without loading a page. */
export function Form({ onSubmit, ...rest }: FormProps): ReactNode {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
      {...rest}
    />
  )
}

export function FieldError({ children }: { readonly children: string | undefined }): ReactNode {
  if (children === undefined) return null
  return (
    <p className="field-error" role="alert">
      {children}
    </p>
  )
}

const shapes = {
  check: <path d="m3.5 8.5 3 3 6-7" />,
  alert: (
    <path
      d="M8 5.5v3.25M8 11.2v.05M7.1 2.6 1.7 12a1.05 1.05 0 0 0 .9 1.6h10.8a1.05 1.05 0 0 0 .9-1.6L8.9
      2.6a1.05 1.05 0 0 0-1.8 0Z"
    />
  ),
  wait: <path d="M8 4.5V8l2.2 1.4M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z" />,
  cross: <path d="m4.5 4.5 7 7m0-7-7 7" />,
  chevron: <path d="m6 4 4 4-4 4" />,
  external: (
    <path
      d="M6.5 4H4.2A1.2 1.2 0 0 0 3 5.2v6.6A1.2 1.2 0 0 0 4.2 13h6.6a1.2 1.2 0 0 0 1.2-1.2V9.5M9
      3h4v4m0-4L7.5 8.5"
    />
  ),
  sun: (
    <path
      d="M8 10.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5ZM8 1.5v1m0 11v1m6.5-6.5h-1m-11
      0h-1m11.1-4.6-.7.7M4.1 11.9l-.7.7m9.2 0-.7-.7M4.1 4.1l-.7-.7"
    />
  ),
  moon: <path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z" />,
  system: (
    <path
      d="M2.5 4.2A1.2 1.2 0 0 1 3.7 3h8.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1-1.2 1.2H3.7a1.2 1.2 0 0
      1-1.2-1.2V4.2ZM6 13.5h4"
    />
  ),
  copy: (
    <path
      d="M5.5 5.5V3.7a1.2 1.2 0 0 1 1.2-1.2h5.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1-1.2 1.2h-1.8M3.7
      5.5h5.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1-1.2 1.2H3.7a1.2 1.2 0 0 1-1.2-1.2V6.7a1.2 1.2 0
      0 1 1.2-1.2Z"
    />
  ),
  search: <path d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14" />,
  pause: <path d="M5.5 3.5v9m5-9v9" />,
  play: <path d="M5 3.2v9.6L12.6 8 5 3.2Z" />,
  apps: <path d="M3 3h3.500v3.500H3Zm6.500 0H13v3.500H9.500ZM3 9.500h3.500V13H3Zm6.500 0H13V13H9.500Z" />,
  menu: <path d="M2.5 4.5h11m-11 3.5h11m-11 3.5h11" />,
  picture: (
    <path
      d="M3.7 2.5h8.6a1.2 1.2 0 0 1 1.2 1.2v8.6a1.2 1.2 0 0 1-1.2 1.2H3.7a1.2 1.2 0 0 1-1.2-1.2V3.7a1.2
      1.2 0 0 1 1.2-1.2Zm-1 8.3 3-3 2.5 2.5 2-2 3 3M10.3 5.7v.05"
    />
  ),
  leave: <path d="M9.5 3H4.2A1.2 1.2 0 0 0 3 4.2v7.6A1.2 1.2 0 0 0 4.2 13h5.3M11 5.5 13.5 8 11 10.5M13.5 8H6.5" />,
  send: <path d="M8 13V3.2m0 0L3.8 7.4M8 3.2l4.2 4.2" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1.5" fill="currentColor" />,
  plus: <path d="M8 3v10M3 8h10" />,
  trash: (
    <path
      d="M2.8 4.3h10.4M6.3 4.3V3a.8.8 0 0 1 .8-.8h1.8a.8.8 0 0 1 .8.8v1.3m2.2 0-.5 8.4a1.1 1.1 0 0 1-1.1
      1H5.7a1.1 1.1 0 0 1-1.1-1l-.5-8.4"
    />
  ),
  pencil: <path d="m9.7 3.8 2.5 2.5M3 13l.6-3 7-7a1.1 1.1 0 0 1 1.6 0l.8.8a1.1 1.1 0 0 1 0 1.6l-7 7L3 13Z" />,
  retry: <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.2v2.9h-2.9" />,
  link: (
    <path
      d="M6.8 9.2 9.2 6.8M7.3 4.9l1.5-1.5a2.7 2.7 0 0 1 3.8 3.8l-1.5 1.5
      M8.7 11.1l-1.5 1.5a2.7 2.7 0 0 1-3.8-3.8l1.5-1.5"
    />
  ),
  save: <path d="M8 2.5v7.3m0 0L4.8 6.6M8 9.8l3.2-3.2M2.8 13.2h10.4" />,
  key: (
    <path
      d="M9.2 8.200 14 3.400m-2.300 2.300 1.700 1.700m-3.400 0 1 1M9.700 10.300a3.200 3.200 0 1 1-6.400 0
      3.200 3.200 0 0 1 6.400 0Z"
    />
  ),
  more: <path d="M3.5 8v.01M8 8v.01M12.5 8v.01" strokeWidth="2.2" />,
  down: <path d="M8 3v9.8m0 0 4.2-4.2M8 12.8 3.8 8.6" />,
  columns: <path d="M2.5 3h11v10h-11ZM8 3v10" />,
  database: (
    <path
      d="M13 4c0 1.1-2.2 2-5 2s-5-.9-5-2 2.2-2 5-2 5 .9 5 2Zm0 0v8c0 1.1-2.2 2-5 2s-5-.9-5-2V4m10 4c0
      1.1-2.2 2-5 2s-5-.9-5-2"
    />
  ),
  code: <path d="m5.2 4.8-3.2 3.2 3.2 3.2m5.6-6.4 3.2 3.2-3.2 3.2M9 3.2 7 12.8" />,
  chart: <path d="M2.5 13.5h11M4.5 11V8m3.5 3V3.5M11.5 11V6" />,
  book: (
    <path
      d="M8 4.2C6.8 3.2 5 2.8 2.5 2.8v9.4c2.5 0 4.3.4 5.5 1.4m0-9.4c1.2-1 3-1.4 5.5-1.4v9.4c-2.5
      0-4.3.4-5.5 1.4m0-9.4v9.4"
    />
  ),
  globe: (
    <path
      d="M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0ZM2.2 8h11.6M8 2c1.7 1.7 2.5 3.7 2.5 6S9.7 12.3 8
      14c-1.7-1.7-2.5-3.7-2.5-6S6.3 3.7 8 2Z"
    />
  ),
  thumb: (
    <path
      d="M5.2 7.2v5.9M5.2 7.2 7.800 2.500a1.3 1.3 0 0 1 1.4 1.5L8.7 6.4h3.6a1.2 1.2 0 0 1 1.200 1.400l-.8 4.300a1.2 1.2
      0 0 1-1.200 1H3.700a1.2 1.2 0 0 1-1.2-1.2V8.4a1.2 1.2 0 0 1 1.200-1.200h1.500"
    />
  ),
  lightbulb: (
    <path d="M6.3 13.5h3.400M6.6 11.3c0-1.5-2.200-2.3-2.200-5a3.6 3.6 0 0 1 7.200 0c0 2.7-2.200 3.5-2.200 5H6.6Z" />
  ),
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof shapes

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactNode {
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

export type Tone = 'neutral' | 'good' | 'busy' | 'warn' | 'bad'

interface BadgeProps {
  readonly tone?: Tone
  readonly title?: string
  readonly onClick?: () => void
  readonly label?: string
  readonly children: ReactNode
}

export function Badge({ tone = 'neutral', title, onClick, label, children }: BadgeProps): ReactNode {
  if (onClick === undefined)
    return (
      <span className={`badge ${tone}`} title={title}>
        {children}
      </span>
    )
  return (
    <button type="button" className={`badge ${tone}`} title={title} aria-label={label} onClick={onClick}>
      {children}
    </button>
  )
}

export function Brand(): ReactNode {
  return (
    <span className="brand">
      <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
        <rect x="1" y="2" width="16" height="3.4" rx="1.7" fill="var(--leaf-fill)" />
        <rect x="1" y="7.3" width="16" height="3.4" rx="1.7" fill="var(--leaf-fill)" opacity=".65" />
        <rect x="1" y="12.6" width="9" height="3.4" rx="1.7" fill="var(--leaf-fill)" opacity=".35" />
      </svg>
      <span className="brand-name">flowfarm</span>
    </span>
  )
}
