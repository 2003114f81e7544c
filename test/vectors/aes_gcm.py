"""AES-256-GCM in plain Python (FIPS 197, NIST SP 800-38D), to check vectors only: it is slow, and leaks its key by time."""


def multiply(a, b):
    """In GF(2^8) with x^8 + x^4 + x^3 + x + 1."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = a << 1 ^ (0x11B if a & 0x80 else 0), b >> 1
    return product


def substitute(byte):
    inverse = INVERSES.get(byte, 0)
    rotated = [(inverse << n | inverse >> 8 - n) & 0xFF for n in range(5)]
    return rotated[0] ^ rotated[1] ^ rotated[2] ^ rotated[3] ^ rotated[4] ^ 0x63


POWERS = [1]  # of 3, which generates all bytes but 0
for _ in range(254):
    POWERS.append(multiply(POWERS[-1], 3))
INVERSES = {power: POWERS[-n] for n, power in enumerate(POWERS)}
S_BOX = [substitute(byte) for byte in range(256)]


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def round_keys(key):
    """15 keys of 16 bytes."""
    words = [key[n : n + 4] for n in range(0, 32, 4)]
    for n in range(8, 60):
        word = words[-1]
        if n % 8 == 0:
            word = xor(bytes(S_BOX[byte] for byte in word[1:] + word[:1]), bytes([1 << n // 8 - 1, 0, 0, 0]))
        elif n % 8 == 4:
            word = bytes(S_BOX[byte] for byte in word)
        words.append(xor(words[-8], word))
    return [b"".join(words[n : n + 4]) for n in range(0, 60, 4)]


def mix(column):
    return [
        multiply(column[n], 2) ^ multiply(column[(n + 1) % 4], 3) ^ column[(n + 2) % 4] ^ column[(n + 3) % 4]
        for n in range(4)
    ]


def encrypt_block(keys, block):
    state = xor(block, keys[0])
    for number, key in enumerate(keys[1:], 1):
        shifted = [S_BOX[state[(n + 4 * (n % 4)) % 16]] for n in range(16)]
        if number < len(keys) - 1:
            shifted = [byte for n in range(0, 16, 4) for byte in mix(shifted[n : n + 4])]
        state = xor(shifted, key)
    return state


def ghash(h, data):
    """Blocks are polynomials over GF(2), and their first bit is the constant term."""
    total = 0
    for n in range(0, len(data), 16):
        total ^= int.from_bytes(data[n : n + 16], "big")
        product, factor = 0, int.from_bytes(h, "big")
        for bit in range(127, -1, -1):
            product ^= factor if total >> bit & 1 else 0
            factor = factor >> 1 ^ (0xE1 << 120 if factor & 1 else 0)
        total = product
    return total.to_bytes(16, "big")


def padded(data):
    return data + bytes(-len(data) % 16)


def open_gcm(key, nonce, ciphertext, tag, additional_data):
    """The plain text. None if the tag is not that of the ciphertext and the additional data."""
    keys = round_keys(key)
    counters = (nonce + number.to_bytes(4, "big") for number in range(1, len(ciphertext) // 16 + 3))
    first, *rest = [encrypt_block(keys, counter) for counter in counters]
    lengths = (len(additional_data) * 8).to_bytes(8, "big") + (len(ciphertext) * 8).to_bytes(8, "big")
    hashed = ghash(encrypt_block(keys, bytes(16)), padded(additional_data) + padded(ciphertext) + lengths)
    return xor(ciphertext, b"".join(rest)) if xor(first, hashed) == tag else None
