import type { ReactNode } from 'react'
import { Icon } from '../kit/icon.tsx'

/** Says what went wrong, beside what was tried. */
export function ProblemLine({ problem }: { readonly problem: string | undefined }): ReactNode {
  if (problem === undefined) return null
  return (
    <p className="problem-line" role="alert">
      <Icon name="alert" />
      <span>{problem}</span>
    </p>
  )
}
