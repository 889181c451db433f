import type { ReactNode } from 'react'
import { Button, Icon } from '../../kit/controls.tsx'

interface PauseButtonProps {
  readonly isPaused: boolean
  readonly onChange: (isPaused: boolean) => void
}

export function PauseButton({ isPaused, onChange }: PauseButtonProps): ReactNode {
  return (
    <Button onClick={() => onChange(!isPaused)}>
      <Icon name={isPaused ? 'play' : 'pause'} size={14} /> {isPaused ? 'Resume' : 'Pause'}
    </Button>
  )
}
