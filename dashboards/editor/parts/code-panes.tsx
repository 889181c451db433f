import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { CSSProperties, KeyboardEvent, PointerEvent, ReactNode } from 'react'
import { browserStorage } from '../../kit/browser.ts'
import { Button, Icon } from '../../kit/controls.tsx'
import type { CodeEditor } from '../language/code-editor.ts'
import { paneFiles } from '../project/file-tree.ts'
import type { ProjectState } from '../project/project-state.ts'

const wideScreen = matchMedia('(min-width: 45.01rem)')

function subscribe(listener: () => void): () => void {
  wideScreen.addEventListener('change', listener)
  return () => wideScreen.removeEventListener('change', listener)
}

/** Phones show the focused pane only. */
export function useCanSplit(): boolean {
  return useSyncExternalStore(subscribe, () => wideScreen.matches)
}

const shareKey = 'flowfarm-editor-split'
/** Width of the left pane, percent. */
const [minShare, evenShare, maxShare] = [20, 50, 80]

function boundShare(share: number): number {
  return Number.isFinite(share) ? Math.round(Math.min(maxShare, Math.max(minShare, share))) : evenShare
}

interface CodePanesProps {
  readonly code: CodeEditor
  readonly project: ProjectState
  readonly onClosePane: (path: string) => void
}

export function CodePanes({ code, project, onClosePane }: CodePanesProps): ReactNode {
  const { active, split } = project
  const [share, setShare] = useState(() =>
    boundShare(Number(browserStorage('localStorage')?.getItem(shareKey) ?? evenShare)),
  )
  const changeShare = (next: number): void => {
    const bound = boundShare(next)
    setShare(bound)
    browserStorage('localStorage')?.setItem(shareKey, String(bound))
  }
  const pane = (path: string | undefined, at: number): ReactNode => (
    <section
      key={at}
      className={`pane${path === active ? ' focused' : ''}`}
      aria-label={split === undefined ? 'Code' : at === 0 ? 'Left pane' : 'Right pane'}
    >
      {split !== undefined && path !== undefined && (
        <div className="pane-head">
          <span title={path}>{path}</span>
          <Button
            look="plain"
            isSmall
            isIcon
            aria-label={`Close the pane of ${path}`}
            onClick={() => onClosePane(path)}
          >
            <Icon name="cross" size={12} />
          </Button>
        </div>
      )}
      <CodePane code={code} at={at} />
    </section>
  )
  const [left, right] = paneFiles(project)
  return (
    <div
      className={`code-panes${split === undefined ? '' : ' split'}`}
      style={{ '--share': `${share}%` } as CSSProperties}
      hidden={active === undefined}
    >
      {pane(left, 0)}
      {split !== undefined && <Divider share={share} onShare={changeShare} />}
      {split !== undefined && pane(right, 1)}
    </div>
  )
}

function CodePane({ code, at }: { readonly code: CodeEditor; readonly at: number }): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => (place.current === null ? undefined : code.mount(place.current, at)), [code, at])
  return <div ref={place} className="code-pane" />
}

interface DividerProps {
  readonly share: number
  readonly onShare: (share: number) => void
}

const stepOf: Readonly<Record<string, number>> = { ArrowLeft: -5, ArrowRight: 5, Home: -100, End: 100 }

function Divider({ share, onShare }: DividerProps): ReactNode {
  const drag = ({ currentTarget, pointerId, clientX }: PointerEvent): void => {
    const box = currentTarget.parentElement?.getBoundingClientRect()
    if (box === undefined || !currentTarget.hasPointerCapture(pointerId)) return
    onShare(((clientX - box.left) / box.width) * 100)
  }
  const press = (event: KeyboardEvent): void => {
    const step = stepOf[event.key]
    if (step === undefined) return
    event.preventDefault()
    onShare(share + step)
  }
  return (
    <div
      className="divider"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the left pane"
      aria-valuenow={share}
      aria-valuemin={minShare}
      aria-valuemax={maxShare}
      aria-valuetext={`${share}%`}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDoubleClick={() => onShare(evenShare)}
      onKeyDown={press}
    />
  )
}
