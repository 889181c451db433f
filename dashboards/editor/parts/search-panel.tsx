import { useDeferredValue, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import type { Files } from '../project/file-changes.ts'
import { searchFiles } from '../project/search-files.ts'

interface SearchPanelProps {
  readonly files: Files
  readonly onGo: (path: string, line: number, column: number) => void
}

const maxText = 200

export function SearchPanel({ files, onGo }: SearchPanelProps): ReactNode {
  const [text, setText] = useState('')
  const [isCaseSensitive, setIsCaseSensitive] = useState(false)
  const searched = useDeferredValue(text)
  const { matches, isPartial } = useMemo(
    () => searchFiles(files, searched, { isCaseSensitive }),
    [files, searched, isCaseSensitive],
  )
  const places = new Set(matches.map(({ path }) => path)).size
  return (
    <div className="search-panel">
      <div className="search-line">
        <input
          className="input"
          type="search"
          aria-label="Search in all files"
          placeholder="Search in all files"
          autoFocus
          spellCheck={false}
          autoCapitalize="off"
          maxLength={maxText}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <label className="choice">
          <input
            type="checkbox"
            checked={isCaseSensitive}
            onChange={(event) => setIsCaseSensitive(event.target.checked)}
          />{' '}
          Match case
        </label>
        <span className="soft small" role="status">
          {searched !== '' &&
            (matches.length === 0
              ? 'No matches'
              : `${matches.length} ${matches.length === 1 ? 'line' : 'lines'} in ${places} ` +
                `${places === 1 ? 'file' : 'files'}${isPartial ? '; there may be more' : ''}`)}
        </span>
      </div>
      <ul className="problems" aria-label="Matches">
        {matches.map(({ path, line, column, parts: [before, match, after] }) => (
          <li key={`${path}:${line}`}>
            <button type="button" onClick={() => onGo(path, line, column)}>
              <span className="problem-text mono">
                {before}
                <mark>{match}</mark>
                {after}
              </span>
              <span className="soft nowrap">
                {path}:{line}:{column}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
