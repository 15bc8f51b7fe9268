/** A program and its input in the address: JSON, deflated, in base64 that needs no escapes. */

export interface Shared { program: string; input: string; algorithm?: string }

const through = async (bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> =>
  new Uint8Array(await new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(stream)).arrayBuffer());

export async function toFragment(shared: Shared): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream('deflate-raw'));
  let binary = '';
  bytes.forEach((byte) => { binary += String.fromCharCode(byte); });
  return '#1.' + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Nothing where the fragment is not a shared program. */
export async function fromFragment(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith('#1.')) return null;
  try {
    const binary = atob(fragment.slice(3).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = await through(Uint8Array.from(binary, (c) => c.charCodeAt(0)), new DecompressionStream('deflate-raw'));
    const shared = JSON.parse(new TextDecoder().decode(bytes)) as Shared;
    return typeof shared.program === 'string' && typeof shared.input === 'string' ? shared : null;
  } catch {
    return null;
  }
}
