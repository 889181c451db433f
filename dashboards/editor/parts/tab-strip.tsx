import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { isImported } from '../project/project-state.ts'
import type { ProjectState } from '../project/project-state.ts'

export interface TabStripProps {
  readonly project: ProjectState
  readonly onOpen: (path: string) => void
  readonly onClose: (path: string) => void
}

/** The files that are open, and which of them is in front. */
export function TabStrip({
  project: { open, active, files, saved, isReadOnly },
  onOpen,
  onClose,
}: TabStripProps): ReactNode {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    // Some browsers give a promise for it, which is nothing to clean up.
    list.current?.children[active === undefined ? -1 : open.indexOf(active)]?.scrollIntoView({
      block: 'nearest',
      inline: 'nearest',
    })
  }, [active, open])
  return (
    <ul ref={list} className="open-files" aria-label="Open files">
      {open.map((path) => {
        const name = path.slice(path.lastIndexOf('/') + 1)
        const isDouble = open.some((other) => other !== path && other.endsWith(`/${name}`))
        const isChanged = saved !== undefined && !isImported(path) && saved.files.get(path) !== files.get(path)
        return (
          <li key={path} className={path === active ? 'active' : undefined}>
            <button
              type="button"
              className="open-file"
              title={path}
              aria-current={path === active ? 'true' : undefined}
              onClick={() => onOpen(path)}
            >
              <span>{isDouble ? path : name}</span>
              {isChanged && <span className="changed" role="img" aria-label="not saved" />}
              {(isReadOnly || isImported(path)) && <Badge>read only</Badge>}
            </button>
            <Button look="plain" isSmall isIcon aria-label={`Close ${path}`} onClick={() => onClose(path)}>
              <Icon name="cross" size={12} />
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
