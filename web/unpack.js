// Unpacks LZMA: a stream as `xz --format=lzma` writes it, whose head states how long the whole is.
// Browsers unpack deflate by themselves; the engine of a live page is a third smaller this way.
function unpackLzma(packed) {
  // ---- The head, and one table for all probabilities: of what comes next, of repeats, slots and lengths.
  const head = new DataView(packed.buffer, packed.byteOffset, 13), set = packed[0];
  const literalBits = set % 9, placeBits = Math.floor(set / 9) % 5, stateBits = Math.floor(set / 45);
  const out = new Uint8Array(head.getUint32(5, true) + 2 ** 32 * head.getUint32(9, true));
  const MATCH = 0, REPEAT = 192, FIRST = 204, SECOND = 216, THIRD = 228, LONG = 240, SLOT = 432, NEAR = 688, ALIGN = 816;
  const LENGTH = 832, REPEAT_LENGTH = 1346, LITERAL = 1860;
  const odds = new Uint16Array(LITERAL + (0x300 << (literalBits + placeBits))).fill(1024);

  // ---- Bits, by ranges.
  let from = 14, range = 0xffffffff, code = 0;
  for (; from < 18; from++) code = code * 256 + packed[from];
  const refill = () => {
    if (range >= 0x1000000) return;
    range = range * 256;
    code = code * 256 + (from < packed.length ? packed[from++] : 0);
  };
  const bit = at => {
    const bound = (range >>> 11) * odds[at];
    const one = code >= bound;
    if (one) { range -= bound; code -= bound; odds[at] -= odds[at] >>> 5; }
    else { range = bound; odds[at] += (2048 - odds[at]) >>> 5; }
    refill();
    return one ? 1 : 0;
  };
  const even = count => {
    let value = 0;
    for (; count > 0; count--) {
      range = Math.floor(range / 2);
      const one = code >= range;
      if (one) code -= range;
      refill();
      value = value * 2 + (one ? 1 : 0);
    }
    return value;
  };
  const tree = (at, count) => {
    let node = 1;
    for (let left = count; left > 0; left--) node = node * 2 + bit(at + node);
    return node - (1 << count);
  };
  const turned = (at, count) => {
    let node = 1, value = 0;
    for (let place = 0; place < count; place++) {
      const one = bit(at + node);
      node = node * 2 + one;
      value |= one << place;
    }
    return value;
  };

  // ---- What bits mean.
  const length = (at, place) => {
    if (!bit(at)) return 2 + tree(at + 2 + place * 8, 3);
    if (!bit(at + 1)) return 10 + tree(at + 130 + place * 8, 3);
    return 18 + tree(at + 258, 8);
  };
  const distance = size => {
    const slot = tree(SLOT + Math.min(size - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const more = (slot >> 1) - 1, base = (2 | (slot & 1)) * 2 ** more;
    if (slot < 14) return base + turned(NEAR + base - slot, more);
    return base + even(more - 4) * 16 + turned(ALIGN, 4);
  };
  let at = 0, state = 0, last = [0, 0, 0, 0];
  const literal = () => {
    const above = at ? out[at - 1] >> (8 - literalBits) : 0;
    const base = LITERAL + 0x300 * (((at & ((1 << placeBits) - 1)) << literalBits) + above);
    let node = 1;
    if (state >= 7) {
      let there = out[at - last[0] - 1];
      do {
        const guess = (there >> 7) & 1;
        there <<= 1;
        const one = bit(base + ((1 + guess) << 8) + node);
        node = node * 2 + one;
        if (one !== guess) break;
      } while (node < 0x100);
    }
    while (node < 0x100) node = node * 2 + bit(base + node);
    out[at++] = node - 0x100;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };
  // How long a copy of one of the last four distances is; 1 is a single byte.
  const repeated = place => {
    if (!bit(FIRST + state)) {
      if (!bit(LONG + state * 16 + place)) { state = state < 7 ? 9 : 11; return 1; }
    } else {
      const which = !bit(SECOND + state) ? 1 : 2 + bit(THIRD + state);
      last = [last[which], ...last.filter((_, index) => index !== which)];
    }
    const size = length(REPEAT_LENGTH, place);
    state = state < 7 ? 8 : 11;
    return size;
  };
  while (at < out.length) {
    const place = at & ((1 << stateBits) - 1);
    if (!bit(MATCH + state * 16 + place)) { literal(); continue; }
    let size;
    if (bit(REPEAT + state)) size = repeated(place);
    else {
      size = length(LENGTH, place);
      state = state < 7 ? 7 : 10;
      last = [distance(size), last[0], last[1], last[2]];
    }
    if (last[0] >= at) throw new Error("the packed engine is broken");
    for (const end = Math.min(at + size, out.length); at < end; at++) out[at] = out[at - last[0] - 1];
  }
  return out;
}
