import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useSearchValue } from '../../kit/router.ts'

const pauseMs = 300

/** A field that narrows a list by a text, which is kept in the address as `search`. */
export function ListFilter({ label }: { readonly label: string }): ReactNode {
  const [search, setSearch] = useSearchValue('search')
  const [text, setText] = useState(search)
  useEffect(() => {
    if (text.trim() === search) return
    const timer = setTimeout(() => setSearch(text.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [text, search, setSearch])
  return (
    <label className="filter">
      <span className="visually-hidden">{label}</span>
      <input
        className="input"
        type="search"
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  )
}
