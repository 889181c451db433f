import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import type { CodeRoom } from '../language/code-room.ts'

/** Where the editor is. */
export function CodePane({ code, isHidden }: { readonly code: CodeRoom; readonly isHidden: boolean }): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => (place.current === null ? undefined : code.mount(place.current)), [code])
  return <div ref={place} className="code-pane" hidden={isHidden} />
}
