// Functions of one element, or of two, as kernels for GPUs; _fused.py says how they are compiled.
//
// Blocks without blank lines: helpers, and the functions themselves, named in the line before them.
// T is the type of the elements, and R that of the parts of a complex number.  Sums of products
// that cancel use fma, which no compiler rearranges.

template <typename R> bool xp_inf(R a) { return a - a != R(0) && a == a; }

template <typename R> bool xp_finite(R a) { return a - a == R(0); }

template <typename R> R xp_infinity(R a) { return R(__int_as_float(0x7f800000)); }

template <typename R> R xp_nan(R a) { return R(__int_as_float(0x7fc00000)); }

float xp_product(float a, float b) { return __fmul_rn(a, b); }
double xp_product(double a, double b) { return __dmul_rn(a, b); }

float xp_far(float) { return 1e7f; }
double xp_far(double) { return 1e15; }

// Below these a quotient's integer part is a number, or one that is next to it.
float xp_whole(float) { return 16777216.f; }
double xp_whole(double) { return 9007199254740992.; }

void xp_sincos(float x, float& sine, float& cosine) { ::sincosf(x, &sine, &cosine); }
void xp_sincos(double x, double& sine, double& cosine) { ::sincos(x, &sine, &cosine); }

// A rounded sum and its error: D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2.
template <typename R> R xp_sum(R a, R b, R& error) {
    R total = a + b;
    R part = total - a;
    error += (a - (total - part)) + (b - part);
    return total;
}

// a * a + b * b + c + d, also where the terms cancel.
template <typename R> R xp_squares(R a, R b, R c, R d) {
    R aa = xp_product(a, a), bb = xp_product(b, b);
    R error = ::fma(a, a, -aa) + ::fma(b, b, -bb);
    R total = xp_sum(aa, c, error);
    total = xp_sum(total, d, error);
    total = xp_sum(total, bb, error);
    return total + error;
}

// The logarithm of the size of a number that is not close to 1.
template <typename R> R xp_log_size(R a, R b) {
    a = ::fabs(a);
    b = ::fabs(b);
    if (xp_inf(a) || xp_inf(b)) { return xp_infinity(a); }
    if (a != a || b != b) { return a + b; }
    R large = a < b ? b : a, small = a < b ? a : b;
    if (large == R(0)) { return -xp_infinity(a); }
    R ratio = small / large;
    return ::log(large) + R(0.5) * ::log1p(ratio * ratio);
}

template <typename T> T xp_log(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    R large = ::fmax(::fabs(a), ::fabs(b)), small = ::fmin(::fabs(a), ::fabs(b));
    R size;
    if (large > R(0.3) && large < R(2) && a == a && b == b) {
        size = R(0.5) * ::log1p(xp_squares(large, small, R(-1), R(0)));
    } else {
        size = xp_log_size(a, b);
    }
    return T(size, ::atan2(b, a));
}

// A root of finite numbers, whose real part is not negative.
template <typename T> T xp_root(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    R large = ::fmax(::fabs(a), ::fabs(b)), scale = R(1);
    if (large == R(0)) { return T(R(0), b); }
    if (large < R(7.888609052210118e-31)) {  // 2**-100
        a *= R(3.2451855365842673e+32);      // 2**108
        b *= R(3.2451855365842673e+32);
        scale = R(5.551115123125783e-17);    // 2**-54
    } else if (large > R(1.2676506002282294e+30)) {
        a *= R(3.0814879110195774e-33);
        b *= R(3.0814879110195774e-33);
        scale = R(1.8014398509481984e+16);
    }
    R t = ::sqrt((::fabs(a) + ::hypot(a, b)) * R(0.5));
    R u = ::fabs(b) / (t + t) * scale;
    t *= scale;
    return a < R(0) ? T(u, ::copysign(t, b)) : T(t, ::copysign(u, b));
}

// W. Kahan, Branch cuts for complex elementary functions, 1987.
template <typename T> T xp_acosh(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    R right = R(1.5707963267948966);
    if (xp_inf(a) || xp_inf(b)) { return T(xp_infinity(a), ::atan2(b, a)); }
    if (a != a || b != b) { return T(xp_nan(a), a == R(0) ? right : xp_nan(a)); }
    if (::fmax(::fabs(a), ::fabs(b)) > xp_far(a)) {
        return T(xp_log_size(a, b) + R(0.6931471805599453), ::atan2(b, a));
    }
    T less = xp_root(T(a - R(1), b)), more = xp_root(T(a + R(1), b));
    R sine = less.real() * more.real() + less.imag() * more.imag();
    return T(::asinh(sine), R(2) * ::atan2(less.imag(), more.real()));
}

template <typename T> T xp_atanh(T x) {
    auto re = x.real(), im = x.imag();
    using R = decltype(re);
    R right = R(1.5707963267948966), a = ::fabs(re), b = ::fabs(im);
    if (xp_inf(b)) { return T(::copysign(R(0), re), ::copysign(right, im)); }
    if (xp_inf(a)) { return T(::copysign(R(0), re), b == b ? ::copysign(right, im) : im); }
    if (a != a || b != b) { return T(a == R(0) ? re : xp_nan(a), xp_nan(a)); }
    R large = ::fmax(a, b), small = ::fmin(a, b), real, imag;
    if (large > xp_far(a)) {
        R ratio = small / large;
        real = a / large / large / (R(1) + ratio * ratio);
        imag = right;
    } else {
        R far = (R(1) - a) * (R(1) - a) + b * b;
        // At 1 the square of a tiny imaginary part would vanish.
        bool pole = a == R(1) && b < R(1) / xp_far(a);
        real = pole ? (R(0.6931471805599453) - ::log(b)) / R(2) : ::log1p(R(4) * a / far) / R(4);
        imag = ::atan2(R(2) * b, (R(1) - a) * (R(1) + a) - b * b) / R(2);
    }
    return T(::copysign(real, re), ::copysign(imag, im));
}

// W. Kahan again.
template <typename T> T xp_tanh(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    if (xp_inf(a)) { return T(::copysign(R(1), a), ::copysign(R(0), b)); }
    if (!xp_finite(b)) { return T(a == R(0) ? a : xp_nan(a), xp_nan(a)); }
    if (a != a) { return T(a, b == R(0) ? b : a); }
    if (::fabs(a) > R(22)) {
        R small = ::exp(R(-2) * ::fabs(a));
        return T(::copysign(R(1), a), R(4) * ::sin(b) * ::cos(b) * small);
    }
    R t = ::tan(b), s = ::sinh(a);
    R beta = R(1) + t * t, rho = ::sqrt(R(1) + s * s);
    R below = R(1) + beta * s * s;
    return T(beta * rho * s / below, t / below);
}

// cosh(a + bj), which is even.
template <typename T> T xp_cosh(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    b *= ::copysign(R(1), a);
    a = ::fabs(a);
    if (b == R(0)) { return T(::cosh(a), b); }
    if (!xp_finite(b)) {
        return T(xp_inf(a) ? a : xp_nan(a), a == R(0) ? ::copysign(a, b) : xp_nan(a));
    }
    R real = ::cosh(a), imag = ::sinh(a);
    if (xp_inf(real) && !xp_inf(a)) {
        R half = ::exp(a * R(0.5));
        return T(half * ::cos(b) * R(0.5) * half, half * ::sin(b) * R(0.5) * half);
    }
    return T(real * ::cos(b), imag * ::sin(b));
}

template <typename T> T xp_expm1(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    if (b == R(0)) { return T(::expm1(a) + R(0), b); }
    if (xp_inf(a) && !xp_finite(b)) { return a < R(0) ? T(R(-1), R(0)) : T(a, xp_nan(a)); }
    R sine, cosine;
    xp_sincos(b, sine, cosine);
    if (::fabs(a) < R(1)) {
        R less = ::expm1(a);
        R bent = cosine > R(0) ? sine * sine / (R(1) + cosine) : R(1) - cosine;
        return T(less * cosine - bent + R(0), (less + R(1)) * sine);
    }
    R whole = ::exp(a);
    if (xp_inf(whole) && !xp_inf(a)) {
        R half = ::exp(a * R(0.5));
        return T(half * cosine * half, half * sine * half);
    }
    return T(whole * cosine - R(1), whole * sine);
}

template <typename T> T xp_times(T x, T y) {
    return T(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
}

// entry: acos
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    T y = xp_acosh(x);
    return T(::fabs(y.imag()), -y.real() * ::copysign(R(1), b));
}

// entry: acosh
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    return xp_acosh(x);
}

// entry: atan
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    T y = xp_atanh(T(-b, a));
    return T(y.imag(), -y.real());
}

// entry: atanh
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    return xp_atanh(x);
}

// entry: cos
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    return xp_cosh(T(-b, a));
}

// entry: cosh
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    return xp_cosh(x);
}

// entry: expm1
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    return xp_expm1(x);
}

// entry: log
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    return xp_log(x);
}

// entry: log1p
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    if (xp_inf(a) || xp_inf(b)) { return T(xp_infinity(a), ::atan2(b, a)); }
    R tiny = R(1) / xp_far(a) / xp_far(a);
    if (::fabs(a) < tiny && ::fabs(b) < tiny) { return x; }
    R excess = xp_squares(a, b, a + a, R(0));
    bool near = excess > R(-0.75) && excess < R(3);
    R size = near ? R(0.5) * ::log1p(excess) : xp_log_size(a + R(1), b);
    return T(size, ::atan2(b, a + R(1)));
}

// entry: log2
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    T y = xp_log(x);
    R by = R(0.6931471805599453);
    return T(y.real() / by, y.imag() / by);
}

// entry: log10
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    T y = xp_log(x);
    R by = R(2.302585092994046);
    return T(y.real() / by, y.imag() / by);
}

// entry: round
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    return T(::rint(a), ::rint(b));
}

// entry: sign_complex
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    if (a == R(0) && b == R(0)) { return T(R(0), R(0)); }
    R large = ::fmax(::fabs(a), ::fabs(b)), scale = R(1);
    if (large < R(7.888609052210118e-31)) { scale = R(3.2451855365842673e+32); }
    if (large > R(1.2676506002282294e+30)) { scale = R(3.0814879110195774e-33); }
    a *= scale;
    b *= scale;
    R size = ::hypot(a, b);
    return T(a / size, b / size);
}

// entry: sqrt
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    if (xp_inf(b)) { return T(xp_infinity(a), b); }
    if (xp_inf(a)) {
        R other = b == b ? R(0) : xp_nan(a);
        return a > R(0) ? T(a, b == b ? ::copysign(R(0), b) : b) : T(other, ::copysign(a, b));
    }
    if (a != a || b != b) { return T(xp_nan(a), xp_nan(a)); }
    return xp_root(x);
}

// entry: tan
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    T y = xp_tanh(T(-b, a));
    return T(y.imag(), -y.real());
}

// entry: tanh
template <typename T> T xp_entry(T x) {
    auto a = x.real(), b = x.imag();
    using R = decltype(a);
    return xp_tanh(x);
}

// entry: add
template <typename T> T xp_entry(T x, T y) {
    return T(x.real() + y.real(), x.imag() + y.imag());
}

// entry: subtract
template <typename T> T xp_entry(T x, T y) {
    return T(x.real() - y.real(), x.imag() - y.imag());
}

// entry: pow
// By the logarithm, as all powers are, the square of 3j would have an imaginary part.
template <typename T> T xp_entry(T x, T y) {
    auto n = y.real();
    using R = decltype(n);
    if (y.imag() == R(0)) {
        if (n == R(0)) { return T(R(1), R(0)); }
        if (n == R(1)) { return x; }
        if (n == R(2)) { return xp_times(x, x); }
        if (n == R(3)) { return xp_times(xp_times(x, x), x); }
    }
    return std::pow(x, y);
}

// entry: floor_divide
template <typename T> T xp_entry(T a, T b) {
    T q = a / b;
    if (::fabs(q) < xp_whole(q) && !xp_inf(b)) {
        T n = ::trunc(q), less = ::fma(-n, b, a);
        return less != T(0) && (b < T(0)) != (less < T(0)) ? n - T(1) : n;
    }
    if (xp_inf(a) || xp_inf(b)) { return ::floor(q); }
    if (b == T(0)) { return q; }
    T rest = ::fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != T(0) && (b < T(0)) != (rest < T(0))) { quotient -= T(1); }
    if (quotient == T(0)) { return ::copysign(T(0), q); }
    T down = ::floor(quotient);
    return quotient - down > T(0.5) ? down + T(1) : down;
}

// entry: remainder
template <typename T> T xp_entry(T a, T b) {
    T q = a / b;
    bool near = ::fabs(q) < xp_whole(q) && !xp_inf(b);
    T rest = near ? ::fma(-::trunc(q), b, a) : ::fmod(a, b);
    if (rest != T(0) && (b < T(0)) != (rest < T(0))) { rest += b; }
    return ::copysign(rest, b);
}

// entry: sign
template <typename T> T xp_entry(T x) {
    return x != x ? x : T((T(0) < x) - (x < T(0)));
}

// entry: frequency
// The frequency of a position in the order of the Fourier transform.
template <typename T> T xp_entry(T place, T last, T size, T length) {
    return (place > last ? place - size : place) / length;
}

// entry: root
template <typename T> T xp_entry(T x) {
    T infinity = T(__int_as_float(0x7f800000));
    return x == -infinity ? infinity : ::sqrt(x) + T(0);
}

// entry: search_key
template <typename T> T xp_entry(T bits) {
    // An integer in the order of the numbers that have these bits: zeros are one, NaN comes last.
    const T most = T(sizeof(T) == 4 ? 0x7fffffffll : 0x7fffffffffffffffll);
    const T infinite = T(sizeof(T) == 4 ? 0x7f800000ll : 0x7ff0000000000000ll);
    const T size = bits & most;
    return size > infinite ? most : (bits < T(0) ? -size : size);
}

// entry: one_zero_one_nan
// The same numbers with a single zero and a single NaN, so that equal ones have equal bits.
template <typename T> T xp_entry(T x) {
    return x != x ? T(__int_as_float(0x7fc00000)) : x + T(0);
}

// entry: one_nan
template <typename T> T xp_entry(T x) {
    return x != x ? T(__int_as_float(0x7fc00000)) : x;
}
