import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/controls.tsx'
import { Modal } from '../../kit/dialog.tsx'
import { CopyButton } from '../../kit/toast.tsx'

interface ShareProps {
  /** Page path, also below `/badge` and `/embed`. */
  readonly path: string
  /** Without characters that are special in HTML or Markdown, such as those of token names. */
  readonly title: string
}

/** Opens the link, the badge and the card of an item, to copy. */
export function ShareButton({ path, title }: ShareProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const { origin } = location
  const badge = `${origin}/badge${path}.svg`
  const snippets = [
    ['Link', origin + path],
    ['Badge, Markdown', `[![${title}](${badge})](${origin}${path})`],
    ['Badge, HTML', `<a href="${origin}${path}"><img src="${badge}" alt="${title}"></a>`],
    [
      'Card, HTML',
      `<iframe src="${origin}/embed${path}" title="${title}" width="420" height="190" style="border:0" ` +
        'loading="lazy"></iframe>',
    ],
  ] as const
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Share</Button>
      {isOpen && (
        <Modal title="Share" isWide onClose={() => setIsOpen(false)}>
          <div className="share-dialog">
            {snippets.map(([name, text]) => (
              <div key={name} className="field">
                <span>{name}</span>
                <div className="snippet">
                  <code>{text}</code>
                  <CopyButton text={text} what={name} />
                </div>
              </div>
            ))}
            <p>
              <img src={`/badge${path}.svg`} alt="Preview of the badge" height={20} />
            </p>
          </div>
        </Modal>
      )}
    </>
  )
}
