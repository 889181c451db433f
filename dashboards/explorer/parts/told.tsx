import { Fragment, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { Link } from '../link.tsx'
import { paths } from '../paths.ts'
import type { Piece, Sentence } from '../told-moves.ts'
import { AccountLink } from './identity.tsx'

const shownAtFirst = 8

/** Sentences with links for all that they speak of; the first ones, where there are many. */
export function Told({ sentences }: { readonly sentences: readonly Sentence[] }): ReactNode {
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? sentences : sentences.slice(0, shownAtFirst)
  return (
    <>
      <ul className="told">
        {shown.map((sentence, i) => (
          <li key={i}>
            {sentence.map((piece, n) => (
              <Fragment key={n}>
                <ToldPiece piece={piece} />
              </Fragment>
            ))}
          </li>
        ))}
      </ul>
      {shown.length < sentences.length && (
        <Button isSmall onClick={() => setIsWhole(true)}>
          {sentences.length - shown.length} more
        </Button>
      )}
    </>
  )
}

function ToldPiece({ piece }: { readonly piece: Piece }): ReactNode {
  if (typeof piece === 'string') return piece
  if ('account' in piece) return <AccountLink address={piece.account} />
  if ('token' in piece) return <Link to={paths.token(piece.token)}>{piece.text}</Link>
  return piece.collection === null ? piece.text : <Link to={paths.item(piece.collection, piece.item)}>{piece.text}</Link>
}
