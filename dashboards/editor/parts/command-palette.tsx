import { useEffect, useId, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { Modal } from '../../kit/dialog.tsx'

export interface Command {
  readonly name: string
  readonly keys?: string
  readonly act: () => void
}

interface CommandPaletteProps {
  readonly commands: readonly Command[]
  readonly files: readonly string[]
  readonly onOpen: (path: string) => void
  readonly onOpenSide: ((path: string) => void) | undefined
  readonly onClose: () => void
}

const maxShown = 50

/** Commands, and the files of the project once something is typed. */
export function CommandPalette({ commands, files, onOpen, onOpenSide, onClose }: CommandPaletteProps): ReactNode {
  const [text, setText] = useState('')
  const [selected, setSelected] = useState(0)
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  // The dialog focuses its first button when it opens.
  useEffect(() => input.current?.focus(), [])
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const searched = words.length === 0 ? [] : files
    const opened: Command[] = searched.map((path) => ({ name: `Open ${path}`, act: () => onOpen(path) }))
    const openedAside: Command[] =
      onOpenSide === undefined
        ? []
        : searched.map((path) => ({ name: `Open ${path} to the side`, act: () => onOpenSide(path) }))
    return [...commands, ...opened, ...openedAside]
      .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
      .slice(0, maxShown)
  }, [commands, files, text, onOpen, onOpenSide])
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  const choose = (command: Command | undefined): void => {
    if (command === undefined) return
    onClose()
    command.act()
  }
  const press = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const move = moves[event.key]
    if (event.key === 'Enter') choose(found[selected])
    else if (move !== undefined && found.length > 0) setSelected((selected + move + found.length) % found.length)
    else return
    event.preventDefault()
  }
  return (
    <Modal title="Commands" onClose={onClose}>
      <div className="modal-body palette">
        <input
          ref={input}
          className="input"
          role="combobox"
          aria-label="Command or file"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={found.length === 0 ? undefined : `${listId}-${selected}`}
          autoComplete="off"
          spellCheck={false}
          placeholder="Type a command or a file name"
          value={text}
          maxLength={200}
          onKeyDown={press}
          onChange={(event) => {
            setText(event.target.value)
            setSelected(0)
          }}
        />
        <div ref={list} id={listId} className="list" role="listbox" aria-label="Commands and files">
          {found.map((command, at) => (
            <div
              key={command.name}
              id={`${listId}-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === selected}
              onPointerMove={() => setSelected(at)}
              onClick={() => choose(command)}
              onKeyDown={press}
            >
              <span>{command.name}</span>
              {command.keys !== undefined && <kbd>{command.keys}</kbd>}
            </div>
          ))}
        </div>
        {found.length === 0 && <p className="soft">No command or file has this name.</p>}
      </div>
    </Modal>
  )
}
