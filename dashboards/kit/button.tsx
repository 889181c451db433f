import type { ComponentProps, ReactNode } from 'react'

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  /** `strong` is what one came for, `danger` what cannot be taken back. Default: the ordinary look. */
  readonly look?: 'strong' | 'danger' | 'plain'
  readonly isSmall?: boolean
  /** Holds nothing but an icon: give it an `aria-label`. */
  readonly isIcon?: boolean
}

export function Button({ look, isSmall = false, isIcon = false, type = 'button', ...rest }: ButtonProps): ReactNode {
  const names = ['button', look, isSmall ? 'small' : '', isIcon ? 'icon' : '']
  return <button type={type} className={names.filter(Boolean).join(' ')} {...rest} />
}
