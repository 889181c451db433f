import { Fragment, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { Link } from '../../kit/link.tsx'
import { paths } from '../paths.ts'
import type { Piece, Sentence, Statement } from '../told-moves.ts'
import { AccountLink } from './identity.tsx'

const shownAtFirst = 8
const detailsShownAtFirst = 20

/** Statements with links for all that they speak of; the first ones, where there are many, and details for who asks for them. */
export function Told({ statements }: { readonly statements: readonly Statement[] }): ReactNode {
  const [most, showMore] = useMost(shownAtFirst)
  return (
    <>
      <ul className="told">
        {statements.slice(0, most).map(({ said, details }, i) => (
          <li key={i}>
            <ToldSentence sentence={said} />
            {details.length > 0 && <ToldDetails details={details} />}
          </li>
        ))}
      </ul>
      {statements.length > most && <MoreButton count={statements.length - most} onClick={showMore} />}
    </>
  )
}

function ToldDetails({ details }: { readonly details: readonly Sentence[] }): ReactNode {
  const [most, showMore] = useMost(detailsShownAtFirst)
  return (
    <details>
      <summary>each of them</summary>
      <ul>
        {details.slice(0, most).map((sentence, i) => (
          <li key={i}>
            <ToldSentence sentence={sentence} />
          </li>
        ))}
      </ul>
      {details.length > most && <MoreButton count={details.length - most} onClick={showMore} />}
    </details>
  )
}

/** So that a transaction that moved thousands of things is no load for who only looks at it. */
function useMost(first: number): [most: number, showMore: () => void] {
  const [most, setMost] = useState(first)
  return [most, () => setMost(most + 100)]
}

function MoreButton({ count, onClick }: { readonly count: number; readonly onClick: () => void }): ReactNode {
  return (
    <Button isSmall onClick={onClick}>
      {formatNumber(count)} more
    </Button>
  )
}

export function ToldSentence({ sentence }: { readonly sentence: Sentence }): ReactNode {
  return sentence.map((piece, i) => (
    <Fragment key={i}>
      <ToldPiece piece={piece} />
    </Fragment>
  ))
}

function ToldPiece({ piece }: { readonly piece: Piece }): ReactNode {
  if (typeof piece === 'string') return piece
  if ('account' in piece) return <AccountLink address={piece.account} />
  if ('token' in piece) return <Link to={paths.token(piece.token)}>{piece.text}</Link>
  if ('contract' in piece) return <Link to={paths.contract(piece.contract)}>{piece.text}</Link>
  if (piece.collection === null) return piece.text
  return (
    <Link to={'item' in piece ? paths.item(piece.collection, piece.item) : paths.collection(piece.collection)}>
      {piece.text}
    </Link>
  )
}
