"""Expressions of NumPy's users, and how each is computed with NumPy and with the namespace.

`STANDARD` and `RELAXED` are one table: ``np`` is NumPy with its arrays, or the namespace with its
own.  Relaxed mode answers all of them as NumPy does; strict mode answers the first and refuses the
second.  tests/array/test_relaxed.py tries them, and test_porting_report.py what is told of them.
"""

from __future__ import annotations

import contextlib
import functools
import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import ascend_array_api as xp
from ascend_array_api._torch import dtypes as dt
from workshop.samples.strategies import to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RNG = np.random.default_rng(11)
VALUES: dict[str, Any] = {
    "v": np.asarray([0.5, -1.5, 2.0, 3.25, -0.75]),
    "w": np.asarray([1.0, 2.0, -0.5, 0.25, 4.0]),
    "u": np.asarray([0.125, 0.5, 0.25, 0.75, 0.625]),
    "n": np.asarray([1.0, np.nan, -2.0, np.inf, np.nan]),
    "m": np.asarray([[4.0, 1.0, 2.5, -1.0], [0.5, 3.0, 2.0, 7.0], [9.0, -8.0, 6.0, 5.0]]),
    "s": np.asarray([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]),
    "t": np.arange(24.0).reshape(2, 3, 4),
    "i": np.asarray([3, 1, 2, 1, 0]),
    "k": np.asarray([[5, 0, 3], [1, 4, 2]]),
    "b": np.asarray([True, False, True, True, False]),
    "z": np.asarray([1 + 2j, -0.5j, 3.0 - 1j]),
    "x": np.asarray([-1.0, 0.0, 0.5, 1.75, 4.0]),
    "f": np.asarray([0.5, 1.5], dtype=np.float32),
    "a": np.asarray(2.5),
    "d": np.asarray([[3.0, 1.0, 2.0], [5.0, 4.0, 1.0]]),
    "p": np.asarray([[True, False, True], [False, False, True]]),
    "r": np.asarray([[True, True, False], [True, False, False]]),
    "h": np.asarray([[1, 2], [3, 4], [5, 6]]),
    # What decides between two ways of a function.
    "q": np.asarray([3.0, -1.0, 2.5, 7.0]),
    "pair": np.asarray([3.0, 5.0]),
    "one": np.asarray([2.5]),
    "g": RNG.standard_normal((3, 4)),
    "square": RNG.standard_normal((3, 3)),
    "cube": RNG.standard_normal((3, 3, 3)),
    "four": RNG.standard_normal((2, 3, 3, 2)),
    "c": RNG.standard_normal((3, 3)) + 1j * RNG.standard_normal((3, 3)),
    "j": np.asarray([[5, 1, 5], [2, 9, 1]]),
    "o": np.asarray([np.nan, 1.0, np.nan, 1.0, np.nan]),
    "n1": np.asarray([2.0, np.nan, 1.0]),
    "box": RNG.standard_normal((2, 3, 4)),
    "y": np.asarray([1 + 0j, 1j, 2 - 1j, -3]),
    "ends": np.asarray([np.nan, np.inf, -np.inf, -2.0]),
    "z_ends": np.asarray([complex(1, np.inf), complex(-np.inf, 2), complex(np.nan, -np.inf), -0.0]),
    "keys": np.asarray([[2, 0, 1, 1, 0], [1, 0, 1, 0, 1], [1, 0, 1, 1, 1]]),
    "whole": np.asarray([[0, 2, 4, -1, -4], [5, -7, -9, 12, 9]]),
    "zeros": np.zeros((2, 2)),
    "wave": np.asarray([0.0, 3.0, 6.5, 9.0, 9.5, 20.0, 3.0]),
}
"""The arrays that the expressions name.  ``V`` is NumPy's own array ``v`` in both."""

STANDARD = """
    np.abs(v) np.acos(u) np.acosh(u+1) np.add(v,w) np.all(b) np.any(b) np.arange(5)
    np.arange(0,1,0.25) np.argmax(v) np.argmin(v) np.argsort(v) np.asarray([1,2]) np.asin(u)
    np.asinh(v) np.astype(v,np.float32) np.atan(v) np.atan2(v,w) np.atanh(u) np.bincount(i)
    np.bitwise_and(i,i) np.bitwise_invert(i) np.bitwise_left_shift(i,i) np.bitwise_or(i,i)
    np.bitwise_right_shift(i,i) np.bitwise_xor(i,i) np.broadcast_arrays(v,m[:,:1])
    np.broadcast_shapes((2,1),(3,)) np.broadcast_to(v,(2,5)) np.can_cast(np.int8,np.int16)
    np.ceil(v) np.clip(v,0.0,1.0) np.concat([v,w]) np.conj(z) np.convolve(v,w) np.copysign(v,w)
    np.cos(v) np.cosh(v) np.count_nonzero(b) np.cumulative_prod(v) np.cumulative_sum(v) np.diag(v)
    np.diff(v) np.divide(v,w) np.empty(3).shape np.empty_like(v).shape np.equal(v,w) np.exp(v)
    np.expand_dims(v,0) np.expm1(v) np.eye(3) np.finfo(v.dtype).bits np.flip(v) np.floor(v)
    np.floor_divide(v,w) np.from_dlpack(v) np.full(3,2.0) np.full_like(v,2.0) np.greater(v,w)
    np.greater_equal(v,w) np.hypot(v,w) np.iinfo(np.int8).max np.imag(z)
    np.isdtype(v.dtype,'integral') np.isfinite(n) np.isin(i,i[:2]) np.isinf(n) np.isnan(n)
    np.less(v,w) np.less_equal(v,w) np.linspace(0.0,1.0,5) np.log(u) np.log10(u) np.log1p(u)
    np.log2(u) np.logaddexp(v,w) np.logical_and(b,b) np.logical_not(b) np.logical_or(b,b)
    np.logical_xor(b,b) np.logspace(0.0,2.0,3) np.matmul(s,s) np.matrix_transpose(m) np.max(v)
    np.maximum(v,w) np.mean(v) np.median(v) np.meshgrid(v,w) np.min(v) np.minimum(v,w)
    np.moveaxis(t,0,-1) np.multiply(v,w) np.negative(v) np.nextafter(v,w) np.nonzero(b)
    np.not_equal(v,w) np.ones(3) np.ones_like(v) np.permute_dims(t,(2,0,1)) np.positive(v)
    np.pow(u,w) np.prod(v) np.real(z) np.reciprocal(w) np.remainder(v,w) np.repeat(v,2)
    np.reshape(v,(5,1)) np.result_type(v,w) np.roll(v,1) np.roots(w) np.round(v)
    np.searchsorted(x,v) np.sign(v) np.signbit(v) np.sin(v) np.sinh(v) np.sort(v) np.sqrt(u)
    np.square(v) np.squeeze(np.expand_dims(v,0),0) np.stack([v,w]) np.std(v) np.subtract(v,w)
    np.sum(v) np.take(v,i) np.take_along_axis(v,i) np.tan(v) np.tanh(v) np.tensordot(s,s)
    np.tile(v,(2,)) np.tril(s) np.triu(s) np.trunc(v) np.unique_all(i) np.unique_counts(i)
    np.unique_inverse(i) np.sort(np.unique_values(i)) np.unstack(k) np.var(v) np.vecdot(v,w)
    np.where(b,v,w) np.zeros(3) np.zeros_like(v) np.linalg.cholesky(s) np.linalg.cross(s,s[:,::-1])
    np.linalg.det(s) np.linalg.diagonal(m) np.linalg.eigh(s).eigenvalues np.linalg.eigvalsh(s)
    np.linalg.inv(s) np.linalg.matmul(s,s) np.linalg.matrix_norm(m) np.linalg.matrix_power(s,2)
    np.linalg.matrix_rank(m) np.linalg.matrix_transpose(m) np.linalg.outer(v,w) np.linalg.pinv(m)
    np.abs(np.linalg.qr(m).R) np.linalg.slogdet(s) np.linalg.solve(s,s) np.linalg.svd(m).S
    np.linalg.svdvals(m) np.linalg.tensordot(s,s) np.linalg.trace(s) np.linalg.vecdot(v,w)
    np.linalg.vector_norm(v) np.linalg.lstsq(s,s[:,0])[0] np.sort(np.real(np.linalg.eigvals(s)))
    np.sort(np.real(np.linalg.eig(s)[0])) np.fft.fft(z) np.fft.ifft(z) np.fft.fftn(z)
    np.fft.ifftn(z) np.fft.rfft(v) np.fft.irfft(z) np.fft.rfftn(m) np.fft.irfftn(z) np.fft.hfft(z)
    np.fft.ihfft(v) np.fft.fftfreq(5) np.fft.rfftfreq(5) np.fft.fftshift(v) np.fft.ifftshift(v) m.T
    t.mT v.dtype v.ndim v.shape v.size v.device v.__array_namespace__().__name__!=''
    v.to_device('cpu') np.sum(m,keepdims=True) np.median(m,0) np.where(v>0,v,0) np.repeat(m,2)
    np.tile(m,[2,1]) np.permute_dims(t,[1,0,2]) np.reshape(m,[4,3]) np.moveaxis(t,[0,1],[1,2])
    np.clip(v,0,1) np.clip(v,None,1) np.clip(i,1,2) np.searchsorted(x,0.25) np.unstack(k,axis=1)
    np.cumulative_sum(k,axis=1) np.meshgrid(v,w,indexing='ij') np.linalg.matrix_rank(s)
    np.vecdot(z,z) np.eye(2,k=-1) np.diag(m,1) np.abs(*[v]) np.maximum(v,0) np.isnan(i) np.pow(i,2)
    np.pow(v,2) np.floor(i) np.sign(i) np.conj(v) np.real(v) np.linalg.trace(s,offset=1)
    np.linalg.vector_norm(m,axis=1) np.pi np.e np.inf m[:,0] m[m>2] m[b[:3]] m[-1,::-1] m[...,0]
    v[i] v+1 2-v v**2 v//1 v%1 -v abs(v) v@w s@v[:3] b&b b|~b v>0 v==v i==1 float(np.sum(v))
    int(np.max(i)) bool(np.any(b)) len(m) [float(a)␣for␣a␣in␣v] round(float(v[0]),1)
    f'{np.mean(v):.3f}' sum(v) max(v) min(v) list(range(i[0])) np.diff(g,prepend=g)
    np.linalg.eigvalsh(square) np.linalg.eigh(square)[0] np.linalg.svd(g)[1]
    np.linalg.svd(g,full_matrices=False)[1] np.sort(p) np.asarray([1,2,3])
    np.asarray([[1.0,2.0],[3.0,4.0]]) np.asarray(range(3)) np.asarray(2.5) np.asarray((1,2))
    np.asarray([True,False]) np.asarray([1j,2]) np.asarray([d[0,0],d[0,1]])
    np.asarray([w[:3],w[:3]]) np.asarray(memoryview(b'ab')) np.arange(1,7,2)
    np.arange(0.0,1.0,0.25) np.zeros((2,3)) np.zeros([2,3]) np.ones((2,1)) np.full((2,2),7)
    np.full(3,2.5) np.eye(2,3,k=1) np.linspace(0,1,5) np.linspace(0,1,5,endpoint=False)
    np.full_like(d,3.0) np.triu(d,k=1) np.meshgrid(w[:3],w[:3])[0] d+d d-1 1-d d*2.5 d/2 d//2 d%2
    2**d +d d@d.T ~b[:3] b[:3]|b[:3] b[:3]^b[:3] d!=1 d<2 d<=2.0 d>d d>=0 w[:3]==2 1<d pow(d,2) z+1
    z*1j z==z d[0,0] d[0,:] d[:,1] d[None,0,:] d[1,...] d[:,::-1] d[::2,:] d[-1,-1] w[:3][1]
    w[:3][1:] w[:3][:-1] w[:3][::-1] w[:3][1:100] d[:,np.asarray([2,0])] w[:3][np.asarray([0,0,1])]
    d[np.asarray([0,1]),np.asarray([1,2])] d[np.asarray(1),:] d[...,np.newaxis] float(a) int(a)
    bool(a) complex(a) [float(i)␣for␣i␣in␣w[:3]] sorted(float(i)␣for␣i␣in␣w[:3]) 2.0␣in␣w[:3]
    str(d.shape) tuple(float(i)␣for␣i␣in␣w[:3]) np.sum(d,axis=0) np.sum(d,axis=(0,1))
    np.sum(d,axis=-1,keepdims=True) np.prod(d,axis=1) np.mean(d,axis=0) np.std(d,correction=1)
    np.var(d,axis=1) np.max(d,axis=1) np.min(d,axis=0,keepdims=True) np.argmin(d,axis=1)
    np.all(d>0,axis=1) np.any(d) np.count_nonzero(d) np.sort(-w[:3]) np.argsort(-w[:3])
    np.nonzero(d)[0] np.where(b[:3],w[:3],0.0) np.where(d>2,d,-d) np.clip(d,1,3) np.clip(d,min=2.0)
    np.round(d/3) np.floor(d/2) np.ceil(d/2) np.trunc(d/2) np.sign(-d) np.abs(-d) np.asin(d/10)
    np.acos(d/10) np.acosh(d) np.atanh(d/10) np.atan2(d,d+1) np.maximum(d,2.0) np.minimum(d,d.mT.T)
    np.add(d,1) np.multiply(d,2) np.divide(d,2) np.signbit(-d) np.copysign(d,-d) np.remainder(d,2)
    np.less(d,2.0) np.reshape(d,(3,2)) np.reshape(d,(-1,)) np.reshape(d,[6])
    np.permute_dims(d,(1,0)) np.permute_dims(d,[1,0]) np.expand_dims(d,axis=0)
    np.squeeze(d[None,...],axis=0) np.concat((d,d),axis=1) np.stack([w[:3],w[:3]],axis=1)
    np.flip(d,axis=0) np.roll(d,1,axis=0) np.broadcast_to(w[:3],(2,3)) np.moveaxis(d,0,1)
    np.unstack(d)[0] np.take(w[:3],np.asarray([0,2])) np.take(d,np.asarray([1]),axis=0)
    np.take_along_axis(d,np.argsort(d),axis=1) np.matmul(d,d.T) np.tensordot(d,d.T,axes=1)
    np.linalg.cross(w[:3],w[:3]) np.fft.fftfreq(4) np.isdtype(d.dtype,'real␣floating')
    np.finfo(np.float32).eps f'{a:.2f}' f'{np.asarray(1.25):.1f}' 2.0*v
"""
"""The calls that strict mode takes too; what they name is the standard's, or an extra's."""

RELAXED = """
    np.nanmedian(n) np.nanmedian(n[:4]) np.nanmedian(m,0) np.nanmedian(t,(0,2),keepdims=True)
    np.nanquantile(n,0.25) np.nanquantile(m,[0.1,0.75],1) np.nanpercentile(n,[0,50,100])
    np.nanpercentile(t,30,(0,1),keepdims=True) np.full((2,5),v) np.full_like(m,[1,2,3,4])
    np.size(t,(0,2)) np.degrees(v,np.zeros(5)) np.isposinf(n,np.zeros(5,bool))
    np.linalg.qr(m,mode='r').shape np.linalg.cross(s,s,axis=0)
    np.interp(v,[5.,1.,3.],u[:3],period=4.0) np.interp(n,[5.,1.],u[:2],period=-3)
    np.einsum(s,[0,1],s,[1,2]) np.einsum(s,[0,1],s,[1,2],[2,0]) np.einsum(t,[...,1],[...])
    np.einsum(s,(1,0)) np.diff(v,n=9) np.add.reduce(m) np.add.accumulate(m,1)
    np.multiply.outer(v,w) np.sum(m,0) np.sum(m,1,np.float32) np.sum(m,axis=0,dtype=None,out=None)
    np.sum(m,(0,1)) np.sum([1,2]) np.sum(v,initial=2.0) np.sum(v,where=b)
    np.sum(m,-1,keepdims=True) np.sum(b) np.sum(a=v) np.prod(m,1) np.prod(v,where=b,initial=2.0)
    np.mean(m,0) np.mean(i) np.mean(v,where=b) np.mean(m,1,np.float32) np.std(m,0) np.std(v,ddof=1)
    np.std(m,1,None,None,1) np.std(v,where=b) np.var(v,ddof=1) np.var(m,0,None,None,1,True)
    np.var(m,axis=1,where=m>0) np.max(m,0) np.max(v,initial=9.0) np.max(m,1,None,True)
    np.max(m,axis=1,initial=0.0,where=m<5) np.min(m,1) np.min(v,initial=-9.0) np.all(m>0,0)
    np.any(m>8,1) np.all(b,where=b) np.any(m>8,where=m<0) np.argmax(m,1) np.argmin(m,0)
    np.count_nonzero(k,0) np.median(m,1,None,False,True) np.sort(m,0) np.sort(m,None)
    np.sort(v,kind='stable') np.argsort(m,0) np.argsort(m,axis=None) np.argsort(i,kind='stable')
    np.sort([3,1,2]) np.flip(m,0) np.flip(m,(0,1)) np.stack([v,w],1) np.stack((v,w),-1)
    np.concat([m,m],1) np.concat([v,w],dtype=np.float32,casting='same_kind') np.concat((m,m),None)
    np.tensordot(s,s,1) np.tensordot(t,s,([1],[0])) np.squeeze(t[:1]) np.squeeze(v[None,:,None])
    np.squeeze(t[:1],0) np.round(v,1) np.round(m,-1) np.round(v*3.14159,2) np.round(i,1)
    np.round(v,decimals=0) np.where(v>0) np.where(m>2) np.where(b,1,0) np.where(i,v,w)
    np.expand_dims(a=v,axis=1) np.roll(m,1,0) np.roll(m,(1,1),(0,1)) np.repeat(m,2,0)
    np.take(m,1,0) np.take(m,[0,2],1) np.take(m,[[0,1],[2,3]]) np.take(v,i[:2],None,None,'clip')
    np.take(v,[7,-9],mode='wrap') np.take_along_axis(m,np.argsort(m,0),0)
    np.take_along_axis(m,i[:3],None) np.tile(v,2) np.tril(s,1) np.triu(s,-1) np.diff(v,2)
    np.diff(m,1,0) np.diff(v,prepend=0.0) np.permute_dims(t) np.reshape(m,-1)
    np.reshape(m,(2,6),'C') np.reshape(m,(2,6),order='F') np.broadcast_to(v,5)
    np.clip(v,a_min=0,a_max=1) np.clip(i,0.5,None) np.clip(i,np.asarray(0.5),2)
    np.clip(v,0.0,1.0,dtype=np.float32) np.isin([1,5],i) np.isin(i,[1],False,True)
    np.searchsorted(x,v,'right') np.searchsorted(x,[0.1,2.0]) np.meshgrid(v,w,sparse=True)
    np.meshgrid(v,sparse=True) np.meshgrid(v,w[:2],u[:3],sparse=True)
    np.meshgrid(v,w[:2],u[:3],sparse=True,indexing='ij') np.meshgrid(v,sparse=True,indexing='ij')
    np.meshgrid([1,2],[3,4,5]) np.nonzero(a=i) np.zeros_like(v,int,shape=(2,3))
    np.full_like(i,2.5,float,shape=4) np.sum(v,where=False) np.prod(v,where=False,initial=3.0)
    np.max(m,0,initial=2.0,where=False) np.round([1.25,-2.5]) np.round(i*7,-1) np.round(-k*7,-1)
    np.round(a=v*2.5) np.round(i+np.asarray(2**60),1) np.take(v,[7,-9,4],mode='clip')
    np.take(m,[[7,-9],[1,2]],0,mode='clip') np.linalg.matrix_rank(m,11.0)
    np.linalg.matrix_rank(t,np.asarray([1.0,50.0])) np.can_cast(np.int64,np.int8,'unsafe')
    np.matmul(k,s) np.asarray([1,2],float) np.asarray(i,np.float32) np.asarray([1.5,2],'float')
    np.asarray([1,2],dtype='complex') np.asarray([1,2],dtype='i4') np.asarray(v,order='C')
    np.zeros(3,int) np.zeros((2,3),'float') np.zeros(3,'int') np.zeros((2,),np.float32,'C')
    np.ones(3,bool) np.ones((2,2),dtype='uint8') np.full(3,7,float) np.full((2,),1.5,np.float32)
    np.empty(3,float).dtype np.zeros_like([1,2]) np.ones_like(v,int) np.full_like(v,2,int)
    np.zeros_like(v,shape=(2,2)) np.ones_like([[1.0]]) np.empty_like([1,2]).shape np.eye(3,4,1)
    np.eye(3,dtype=int) np.eye(N=2) np.linspace(0,1) np.linspace(0,1,5,False)
    np.linspace(0,1,num=4,retstep=True) np.linspace(0,1,4,False,True) np.linspace(0,3,1,True,True)
    np.linspace(0,3,1,False,True) np.linspace(2,5,retstep=True) np.logspace(0,2,3,True,2.0)
    np.arange(3,dtype=float) np.arange(0,3,1,float) np.add(v,w,where=True) np.add(i,1.5)
    np.add([1,2],[3,4]) np.add(1,2) np.sqrt(i) np.sqrt([4,9]) np.exp(i) np.exp(v,dtype=np.float64)
    np.add(i,i,dtype=float) np.divide(i,i+1) np.abs(-3) np.minimum(i,[1,1,1,1,1]) np.multiply(b,b)
    np.logical_and(i,v) np.logical_not(v) np.imag(v) np.imag(i) np.add(v,w,np.zeros(5))
    np.add(v,w,out=np.zeros(5)) np.multiply(v,w,out=np.ones(5),where=b) np.exp(v,np.zeros(5))
    np.sum(m,0,None,np.zeros(4)) np.cumsum(v,out=np.zeros(5)) np.matmul(s,s,np.zeros((3,3)))
    np.fft.fft(v) np.fft.fft(m,axis=0) np.fft.fft(m,8,0) np.fft.fft(i) np.fft.fft(v,norm=None)
    np.fft.ifft(v) np.fft.fftn(m) np.fft.fftn(m,(4,4)) np.fft.ifftn(m,axes=[0]) np.fft.rfft(v,8)
    np.fft.irfft(v) np.fft.irfftn(m+0j,s=(3,4)) np.fft.irfftn(m+0j,(3,6)) np.fft.rfftn(m,(4,4))
    np.fft.fftshift(m,1) np.fft.fftshift(i) np.fft.ifftshift(i) np.fft.fftfreq(5,0.5)
    np.fft.rfft([1,2,3]) np.fft.hfft(v) np.fft.fft2(m) np.fft.ifft2(m) np.fft.rfft2(m)
    np.fft.irfft2(m+0j,(3,6)) np.fft.fft2(m,(4,4)) np.linalg.norm(v) np.linalg.norm(m)
    np.linalg.norm(m,axis=1) np.linalg.norm(m,1) np.linalg.norm(m,'nuc') np.linalg.norm(v,np.inf)
    np.linalg.norm(m,2,keepdims=True) np.linalg.norm(m,axis=0,keepdims=True) np.linalg.norm(i)
    np.linalg.norm(t,axis=(0,1)) np.linalg.cond(s) np.linalg.cond(s,1) np.linalg.cond(s,-2)
    np.linalg.multi_dot([s,s,s]) np.linalg.svd(m,False)[1] np.linalg.svd(m,compute_uv=False)
    np.abs(np.linalg.qr(m,'r')) np.abs(np.linalg.qr(m,'complete')[1]) np.linalg.eigh(s,'U')[0]
    np.linalg.eigvalsh(s,UPLO='U') np.linalg.matrix_rank(m,0.1) np.linalg.pinv(m,1e-10)
    np.linalg.inv([[2,0],[0,4]]) np.linalg.solve(s,[1,2,3])
    np.linalg.lstsq(s,[1,2,3],rcond=None)[0] np.linalg.det([[1,2],[3,4]])
    np.linalg.cross([1,0,0],[0,1,0]) np.absolute(v) np.amax(m,0) np.amin(m,1) np.angle(z)
    np.angle(z,True) np.angle(v) np.append(v,w) np.append(m,m,0) np.append([1],2)
    np.apply_along_axis(np.cumsum,0,m) np.apply_along_axis(np.sum,1,m)
    np.apply_along_axis(np.cumsum,0,v) np.apply_along_axis(np.sum,0,m[:,:1]) np.cov(m,m*m,False)
    np.cov(m,v[:3],False) np.arccos(u) np.arccosh(u+1) np.arcsin(u) np.arcsinh(v) np.arctan(v)
    np.arctan2(v,w) np.arctanh(u) np.argwhere(m>2) np.argwhere(b) np.around(v,1) np.array([1,2])
    np.array([1,2],float) np.array([[1.5]],ndmin=3) np.array(v,copy=True) np.array_equal(v,v)
    np.array_equal(v,m) np.array_equal(n,n) np.array_equal(n,n,True) np.array_equiv(v,v[None])
    np.array_equiv(v,w) np.array_split(v,2) np.array_split(v,[1,3]) np.array_split(m,3,1)
    np.asanyarray(v) np.ascontiguousarray(m.T) np.asfortranarray(m) np.atleast_1d(1.5)
    np.atleast_2d(v) np.atleast_3d(v) np.atleast_3d(m) np.atleast_3d(2) np.atleast_1d(v,2.0)
    np.average(v) np.average(m,0) np.average(m,0,[1,2,3]) np.average(v,weights=u)
    np.average(v,weights=u,returned=True) np.bartlett(6) np.blackman(6) np.bitwise_not(i) np.bool_
    np.byte np.cbrt(v) np.cbrt(x) np.cdouble np.column_stack([v,w]) np.column_stack((m,m))
    np.compress([True,False,True],m,0) np.compress(b,v) np.concatenate([v,w])
    np.concatenate((m,m),1) np.concatenate([m,m],axis=None) np.concatenate([v,[1,2]])
    np.conjugate(z) np.copy(v) np.corrcoef(m) np.corrcoef(v,w) np.corrcoef(m,dtype=np.float32)
    np.cov(m,dtype=np.float32) np.correlate(v,w) np.correlate(v,w[:3],'same')
    np.correlate(v[:2],w,'full') np.correlate(z,z,'full') np.cov(m) np.cov(v,w)
    np.cov(m,rowvar=False) np.cov(m,bias=True) np.cov(v) np.cross(s,s[::-1])
    np.cross(s,s[::-1],axis=0) np.csingle np.cumprod(k) np.cumprod(m,1) np.cumsum(m) np.cumsum(m,0)
    np.cumsum(b) np.cumsum(i,dtype=float) np.deg2rad(v) np.degrees(v) np.delete(v,1)
    np.delete(m,[0,2],1) np.delete(m,slice(0,1),0) np.diag_indices(3) np.diag_indices_from(s)
    np.diagflat(v) np.diagflat(m,1) np.diagonal(m) np.diagonal(t,1,0,2) np.digitize(v,x)
    np.digitize(v,x,True) np.digitize(v,[3.0,1.0,-1.0]) np.divmod(v,w) divmod(v,w) divmod(2.0,w)
    np.dot(v,w) np.dot(s,s) np.dot(s,v[:3]) np.dot(2,v) np.dot(m,t[0].T)
    np.dot(t,np.swapaxes(t,1,2)) np.double np.dsplit(t,2) np.dstack([v,w]) np.dstack((m,m))
    np.ediff1d(m) np.ediff1d(v,99.0,[-1.0]) np.einsum('ij,jk->ik',s,s) np.einsum('ii',s)
    np.einsum('ii->i',s) np.einsum('ij->ji',m) np.einsum('ij',s) np.einsum('i,i',v,w)
    np.einsum('i,j->ij',v,w) np.einsum('ij,jk,kl->il',s,s,s) np.einsum('...ij->...ji',t)
    np.einsum('bij,bkj->bik',t,t) np.einsum('ijk->k',t) np.einsum('...j,j->...',m,m[0])
    np.einsum('ij,ij->',m,m) np.einsum('ji,j->i',k,[1,2]) np.einsum('i...->...',t)
    np.einsum('ij,ij,ij->i',s,s+1,s-1) np.einsum('ij,kl,jk->il',s,s+1,s-1)
    np.einsum('i,ij,j',v[:3],s,w[:3]) np.einsum('ij,ij,ij,ij->j',s,s,s,s)
    np.einsum('ij,jk',s,s,optimize=True) np.exp2(v) np.exp2(i) np.extract(v>0,v) np.fabs(v)
    np.fix(v) np.flatnonzero(k) np.fliplr(m) np.flipud(m) np.float_power(i,2) np.fmax(n,v)
    np.fmin(v,n) np.fmax(i,1) np.fmod(v,w) np.fmod(-i,3+i) np.fromfunction(lambda_ij,(3,2))
    np.geomspace(1.0,8.0,4) np.gradient(v) np.gradient(v,0.5) np.gradient(v,x) np.gradient(m)
    np.gradient(m,axis=1) np.gradient(m,2.0,3.0) np.half np.hamming(5) np.hanning(5)
    np.heaviside(v,0.5) np.heaviside([0.0,1.0],0.5) np.histogram(v) np.histogram(v,3)
    np.histogram(v,[-2.0,0.0,4.0]) np.histogram(v,4,(0.0,2.0)) np.histogram(v,3,density=True)
    np.histogram(v,3,weights=u) np.histogram(i,4) np.histogram_bin_edges(v,4) np.hsplit(m,2)
    np.hsplit(v,[2]) np.hstack([v,w]) np.hstack((m,m)) np.hstack([1,2]) np.identity(3)
    np.identity(2,int) np.indices((2,3)) np.inner(v,w) np.inner(s,s) np.inner(t,m[:2])
    np.insert(v,1,9.0) np.insert(m,1,0.0,0) np.insert(m,2,[1,2,3],1) np.insert(v,-1,7.0) np.int_
    np.intc np.intp np.interp(v,x,u) np.interp(0.25,x,u) np.interp(v,x,u,-9.0,9.0)
    np.interp([0.2,0.3],[0,1],[2,4]) np.intersect1d(i,[1,3]) np.invert(i) np.isclose(v,v+1e-9)
    np.isclose(v,w) np.isclose(n,n,equal_nan=True) np.isclose(n,n) np.isclose(i,1)
    np.isclose(v,0.5,0.0,1.0) np.allclose(v,v+1e-9) np.allclose(v,w) np.allclose(i,[3,1,2,1,0])
    np.iscomplex(z) np.iscomplex(v) np.iscomplexobj(z) np.isneginf(n) np.isposinf(n) np.isreal(z)
    np.isrealobj(v) np.isscalar(3) np.issubdtype(v.dtype,np.floating)
    np.issubdtype(i.dtype,np.inexact) np.iterable(v) np.ix_([0,2],[1,3]) m[np.ix_([0,2],[1,3])]
    np.ix_([True,False,True]) np.kaiser(5,2.0) np.kron(v,w) np.kron(s,k) np.kron(v,m)
    np.left_shift(i,2) np.right_shift(i,1) np.lexsort((v,i)) np.lexsort([i,i[::-1]])
    np.logaddexp2(v,w) np.long np.longlong np.matvec(s,v[:3]) np.vecmat(v[:3],s) np.vecmat(z,s)
    np.mod(v,w) np.modf(v) np.nan_to_num(n) np.nan_to_num(n,nan=1.0,posinf=9.0,neginf=-9.0)
    np.nan_to_num(i) np.nanargmax(n) np.nanargmin(n) np.nancumprod(n) np.nancumsum(n) np.nanmax(n)
    np.nanmean(n[:3]) np.nanmin(n) np.nanprod(n) np.nanstd(n[:3]) np.nanstd(n[:3],ddof=1)
    np.nansum(n) np.nanvar(n[:3]) np.nanmax(i) np.nansum(m,0) np.nanmean(m,1) np.ndim(m) np.ndim(3)
    list(np.ndindex(2,2)) np.outer(v,w) np.outer(m,v) np.pad(v,2) np.pad(v,(1,2),constant_values=9)
    np.pad(m,((1,0),(0,2)),'edge') np.pad(v,2,'reflect') np.pad(v,2,mode='symmetric')
    np.pad(m,1,'wrap') np.pad(v,1,'constant',constant_values=(1,2)) np.sort(np.partition(v,2))
    np.partition(v,2)[2] v[np.argpartition(v,2)][2] np.percentile(v,50) np.percentile(m,[25,75],0)
    np.percentile(m,30,axis=1,keepdims=True) np.percentile(i,90) np.quantile(v,0.3)
    np.quantile(m,[0.1,0.5,1.0]) np.quantile(n,0.5) np.polyfit(x,v,2)
    np.polyfit(x,m[0][[0,1,2,3,0]],1,w=u) np.polyfit(x,v,2,0.5) np.polyfit(x,np.stack([v,w],1),2)
    np.polyval([1,2,3],v) np.polyval(v,2.0) np.power(v,2) np.power(u,w)
    np.promote_types(np.int8,np.float32) np.ptp(m) np.ptp(m,0) np.rad2deg(v) np.radians(v)
    np.ravel(m) np.ravel(m,'F') np.ravel_multi_index(([1,2],[0,3]),(3,4)) np.resize(v,(2,4))
    np.resize([1,2],5) np.rint(v) np.rollaxis(t,2) np.rollaxis(t,0,3) np.rot90(m) np.rot90(m,2)
    np.rot90(m,-1) np.rot90(m,5) np.rot90(t,1,(1,2)) np.select([v<0,v>1],[v,v*2],-1.0)
    np.setdiff1d(i,[1]) np.setxor1d(i,[1,7]) np.shape(m) np.shape([1,2]) np.short np.sinc(v)
    np.single np.size(m) np.size(m,1) np.split(m,2,1) np.split(v,[2,3]) np.swapaxes(t,0,2)
    np.swapaxes(t,-1,1) np.trace(s) np.trace(t,1,0,2) np.transpose(m) np.transpose(t,(1,0,2))
    np.transpose(t,axes=[2,0,1]) np.trapezoid(v) np.trapezoid(v,x) np.trapezoid(m,dx=0.5,axis=0)
    np.trapezoid(m,x[:3],axis=0) np.trapezoid(m,x[:4]) np.trapezoid(m,m*2)
    np.trapezoid(m,m*2,axis=0) np.trapezoid(t,x[:3],axis=1) np.trapezoid(t,t*2,axis=1) np.tri(3)
    np.tri(3,4,1,int) np.tril_indices(3) np.triu_indices(3,1) np.tril_indices_from(s)
    np.triu_indices_from(s,1) np.tril_indices_from(m,k=-1) np.triu_indices_from(m)
    np.true_divide(v,w) np.ubyte np.uint np.uintc np.uintp np.ulong np.ulonglong np.ushort
    np.union1d(i,[7,1]) np.unique(i) np.unique(i,True,True,True) np.unique(i,return_counts=True)
    np.unique(n) np.unique(n,return_counts=True) np.unique(n,return_inverse=True)
    np.unique(n,True,True,True) np.unique(n[:4],True,True,True) np.unique(n[1:2],True,True,True)
    np.unique(k,return_inverse=True) np.unique([2,1,2]) np.unravel_index(5,(2,3))
    np.unravel_index([5,1],(2,3)) np.unwrap(v*3) np.unwrap([0.0,3.5,7.0]) np.vander(v,3)
    np.vander(i) np.vander(v,3,increasing=True) np.vdot(z,z) np.vdot(m,m) np.vsplit(m,3)
    np.vstack([v,w]) np.vstack((m,m)) np.mgrid[0:2,0:3] np.mgrid[0:1:5j] np.ogrid[0:2,0:3]
    np.euler_gamma v[np.newaxis] np.ndarray.__name__!='' np.s_[1:2] np.index_exp[1:2] v.all()
    m.all(0) v.any() m.any(axis=1) v.argmax() m.argmax(1) v.argmin() m.argmin(0) m.argsort(0)
    v.argsort() v[v.argpartition(2)][2] m.astype(np.float32) i.astype(float) v.astype('int')
    v.astype(np.float32,copy=False) v.astype(np.int64,'K','unsafe') v.clip(0,1) v.clip(min=0)
    v.clip(None,1.0) m.compress([True,False,True],0) z.conj() v.conj() z.conjugate() v.copy()
    v.copy('C') v.cumprod() m.cumprod(1) m.cumsum() m.cumsum(0) m.diagonal() t.diagonal(0,1,2)
    v.dot(w) s.dot(s) s.dot(v[:3]) m.flat[2] m.flat[::2] m.flatten() m.flatten('F') z.imag v.imag
    z.real v.real v.itemsize v.item(1) m.item(5) m.item(1,2) v.max() m.max(0)
    m.max(axis=1,keepdims=True) m.max(0,None,True) m.mean() m.mean(0) m.mean(1,keepdims=True)
    i.mean() v.min() m.min(1) v.nbytes k.nonzero() v.prod() m.prod(0) m.ravel() m.ravel('F')
    v.repeat(2) m.repeat(2,1) m.reshape(4,3) m.reshape((2,6)) m.reshape(-1) m.reshape(-1,2)
    m.reshape(2,6,order='F') v.round() v.round(1) m.round(decimals=1) x.searchsorted(0.25)
    x.searchsorted(v,'right') v[None].squeeze() t[:1].squeeze(0) m.std() m.std(0) v.std(ddof=1)
    v.strides m.strides m.sum() m.sum(0) m.sum((0,1)) m.sum(1,keepdims=True)
    m.sum(axis=0,dtype=np.float32) m.sum(axis=None,dtype=None,out=None) v.sum(where=b)
    t.swapaxes(0,2) m.take([0,2],1) m.take(3) v.take(i) v.tobytes() m.tobytes('F') m.tolist()
    s.trace() s.trace(1) m.transpose() t.transpose(1,0,2) t.transpose((1,0,2)) m.transpose(None)
    m.var() m.var(0,ddof=1) v.view(np.int64) m.T.view() v.T t.T m[0] m[[0,2]] m[1,[0,2]]
    v[[True,False,True,True,False]] m[None].shape i+1.5 i/2 i*v s@[1,2,3] np.can_cast('i4',float)
    np.can_cast(int,np.int8) np.can_cast(np.float64,np.float32,'same_kind') np.result_type(i,float)
    np.result_type('float32',np.int8) np.finfo(float).bits np.finfo('float32').eps
    np.iinfo(int).max np.iinfo('i2').min b+b b*v [1,2,3,4,5]*v np.gradient(pair)
    np.gradient(pair,2.0) np.gradient(q) np.gradient(q,edge_order=1) np.gradient(g,axis=0)
    np.gradient(g,axis=1) np.gradient(g)[0] np.gradient(g)[1]
    np.gradient(q,np.asarray([0.,1.,3.,4.]))
    np.gradient(np.reshape(np.arange(24.)**2,(4,3,2)),np.asarray([0.,1.,3.,4.]),axis=0)
    np.gradient(np.reshape(np.arange(24.)**2,(2,4,3)),np.asarray([0.,1.,3.,4.]),axis=1)
    np.diff(g,prepend=0.) np.diff(g,append=1.) np.diff(g,axis=0,prepend=1.)
    np.diff(g,2,append=g[:,:1]) np.diff(j,prepend=0) np.einsum('ii',square) np.einsum('iij',cube)
    np.einsum('iij->ij',cube) np.einsum('iji',cube) np.einsum('jii->ij',cube)
    np.einsum('ijjk->ik',four) np.einsum('ijji->j',four) np.einsum('ijjk->kij',four)
    np.einsum('ijji->ij',four) np.einsum('ijkl,ijkl->jk',four,four)
    np.einsum('ij,jk',square,square) np.einsum('ij,kj->ik',square,g[:,:3]) np.einsum('ij->ji',g)
    np.einsum('...i,...i',cube,cube) np.einsum('i...->...',cube) np.einsum('i,j->ij',q,pair)
    np.linalg.eigvalsh(square,UPLO='U') np.linalg.eigvalsh(c,UPLO='U')
    np.linalg.eigvalsh(square,UPLO='L') np.linalg.eigvalsh(square,'u')
    np.linalg.eigh(square,UPLO='U')[0] np.linalg.eigh(c,UPLO='U')[0]
    np.linalg.svd(g,compute_uv=False) np.unwrap(one) np.unwrap(wave) np.unwrap(wave,1.0)
    np.unwrap(wave,period=4.0) np.unwrap(g*9,axis=0) np.unwrap(g*9) np.unwrap(j*3.0,axis=-1)
    np.insert(g,1,9.) np.insert(g,1,9.,axis=0) np.insert(g,1,9.,axis=1) np.insert(g,2,g[0],axis=0)
    np.insert(g,2,g[:,0],axis=1) np.insert(g,2,g[:,:1],axis=1) np.insert(g,-1,g[:2],axis=0)
    np.insert(q,4,9.) np.insert(q,-4,9.) np.insert(q,0,pair) np.insert(cube,1,square,axis=1)
    np.insert(cube,1,square,axis=0) np.insert(g,0,g[:1],axis=0) np.insert(g,2,g[:2,:1],axis=1)
    np.insert(cube,1,9.,axis=2) np.insert(cube,3,square[:,:1],axis=1)
    np.insert(cube,0,cube[:2],axis=2) np.unique(o) np.unique(o,equal_nan=False)
    np.unique(o,return_counts=True)[1] np.unique(o,return_index=True)[1]
    np.unique(o,return_inverse=True)[1] np.unique(n1) np.unique(n1,return_counts=True)[1]
    np.unique(n1,return_inverse=True)[1] np.unique(j,return_counts=True)[1] np.unique(o[:0])
    np.tensordot(square,square.T@square,((1,),(1,))) np.tensordot(square,cube[0],((0,),(0,)))
    np.tensordot(square,cube[0],((1,),(0,))) np.tensordot(square,cube[0],((0,),(1,)))
    np.tensordot(square,cube,((1,),(0,))) np.tensordot(cube,square,((2,),(0,)))
    np.tensordot(cube,square,((1,),(0,))) np.tensordot(cube,square,((1,2),(1,0)))
    np.tensordot(square,square,2) np.tensordot(square,q[:3],1) np.tensordot(q,pair,0)
    np.digitize(q,pair) np.digitize(q,pair,True) np.digitize(q,pair[::-1]) np.digitize(q,one)
    np.digitize(q,np.flip(pair),True) np.histogram(q,3)[0] np.histogram(q,[-1.,3.,7.])[0]
    np.histogram(q,2,(0.,7.))[0] np.histogram(q,[0.,2.5,3.])[0] np.histogram(q,3,density=True)[0]
    np.histogram(q,3,weights=np.asarray([1.,2.,3.,4.]))[0] np.histogram(q,2,(0.,5.))[1]
    np.trapezoid(g) np.trapezoid(g,axis=0) np.trapezoid(g,dx=2.)
    np.trapezoid(g,np.asarray([0.,1.,3.,7.])) np.trapezoid(g,np.asarray([0.,1.,3.]),axis=0)
    np.trapezoid(g,g) np.ediff1d(q) np.ediff1d(q,to_begin=9.) np.ediff1d(q,[8.],[7.,6.])
    np.rollaxis(box,2) np.rollaxis(box,0,-1) np.rollaxis(box,-1,-2) np.rollaxis(box,2,1)
    np.rollaxis(box,1,1) np.rollaxis(box,2,-1) np.rollaxis(box,0,3) np.rollaxis(box,1,-3)
    np.atleast_3d(box) np.dstack((box,box+1)) np.atleast_2d(g) np.atleast_1d(q) np.nan_to_num(ends)
    np.nan_to_num(ends,True,7.,8.,-9.) np.nan_to_num(ends,neginf=-5.)
    np.nan_to_num(ends,posinf=np.inf,neginf=-np.inf) np.nan_to_num(ends.astype(np.float32))
    np.nan_to_num(z_ends) np.nan_to_num(z_ends,True,7.,8.,-9.)
    np.nan_to_num(z_ends,posinf=np.inf,neginf=-np.inf) np.nan_to_num(z_ends,nan=np.nan)
    np.isclose(q,q*1.9,0.5,0.) np.isclose(q*1.9,q,0.5,0.) np.isclose(q,q*2.,0.5,0.)
    np.isclose(ends,-2.,1e300) np.isclose(-2.,ends,1.) np.isclose(ends,ends)
    np.isclose(n1,n1[::-1],equal_nan=True) np.isreal(y) np.isreal(q) np.iscomplex(y)
    np.iscomplex(q) np.vdot(y,y*y) np.vdot(c,c@c) np.unwrap(np.asarray([0.,40.840704496667314,0.]))
    np.unwrap(whole,period=4) np.unwrap(whole,period=5) np.unwrap(whole,6,period=6)
    np.unwrap(whole,axis=0,period=3) np.unwrap(whole,period=4.)
    np.unwrap(whole.astype(np.int8),period=5) np.unwrap(whole.astype(np.float32),period=4)
    np.average(g,returned=True)[1] np.average(g,1,returned=True)[1] np.average(g,-1,q)
    np.average(g,0,keepdims=True,returned=True)[1] np.average(g,0,q[:3],True)[1]
    np.average(box,(0,1),box[:,:,0]+5) np.average(box,(2,0),(box[:,0,:]+5).T)
    np.average(box,(-1,1),(box[0]+5).T,keepdims=True) np.average(box,weights=box+5)
    np.average(box,2,q,True)[1] np.quantile(n1,0.) np.quantile(n1,[0.,0.5,1.])
    np.quantile(np.stack([n1,q[:3]]),0.25,1) np.quantile(box,[0.2,0.9],(0,2))
    np.quantile(box,0.4,-2,keepdims=True) np.corrcoef(c) np.cov(c) np.corrcoef(square,rowvar=False)
    np.cov(g[:2],rowvar=False) np.cov(g,g[:,0],False) np.cov(q,q*q,rowvar=False)
    np.digitize(q,[3.,3.,1.]) np.digitize(q,[3.,1.,1.],True) np.digitize(q,[2.5,2.5])
    np.digitize(q,[2.5,2.5],True) np.digitize(q,np.asarray([2.5,3.,3.,9.]))
    np.interp(keys[0],[0.,1.,2.],[5.,7.,-9.]) np.interp(keys[0]*1.,[0.,1.,2.],[5.,7.,-9.],-1.,1.)
    np.interp(q,[-1.,2.,2.5,3.],q,20.,30.) np.interp(q,one,one*2) np.interp(q,one,one*2,-1.,9.)
    np.interp(ends,pair,pair*2) np.interp(q,pair,pair*2,right=0.) np.interp(q,pair,pair*2,0.)
    np.interp([0.,.5,1.,1.5,2.],[0,1,2],[1,2,np.nan]) np.interp([.5,0.,1.],[0,1],[-np.inf,0])
    np.interp([0.,.5,1.,2.],[0,1,2],[np.inf,np.inf,1.]) np.interp(.5,[0,1],[np.inf,-np.inf])
    np.interp([0.,.5,1.,2.],[0,1,np.inf],[1,2,3.]) np.interp(ends,[-np.inf,0,np.inf],[2,3,4.])
    np.setxor1d([np.nan],[np.nan]) np.setxor1d([np.nan,1,2],[2,np.nan,3])
    np.logspace(0,2,3,base=[2.,10.]) np.logspace(0,1,2,base=[[2.,10.]]) np.delete(q,(0,2))
    np.arange(0,2.5,dtype=int) np.arange(.5,4,1.5,dtype=int) np.arange(3,0,-.75,dtype=int)
    np.arange(0,3,.5,dtype=int) np.polyfit(q,g.T,1,w=keys[0][:4]+1.)
    np.polyfit(q,q*q,1,w=keys[0][:4]+1.) np.lexsort((q,keys[2][:4])) np.lexsort((q,))
    np.lexsort(keys) np.lexsort(keys[::-1]) np.lexsort((keys,keys[::-1]),0)
    np.lexsort((keys,keys[::-1])) np.apply_along_axis(np.outer,0,g,pair)
    np.apply_along_axis(np.outer,1,box,pair) np.apply_along_axis(np.outer,-1,box,pair)
    np.apply_along_axis(np.diag,0,box) np.cross(box,box[::-1],axis=1)
    np.cross(box,np.moveaxis(box,1,0)*2.,1,0,0) np.cross(box,box*box,1,-2,1)
    np.cross(cube,cube[::-1]) np.cross(cube,cube[::-1],0,1,2) np.einsum('ij->i',g[:,:0])
    np.einsum('ij,jk',g[:,:0],g[:0]) np.einsum('i,i',q[:0],one) np.einsum('i,i',one,q[:0])
    np.einsum('i,i->i',q,one) np.einsum('i,i',one,q) np.einsum('ij,jk->ik',g[:,:1],g)
    np.linalg.norm(g,keepdims=True) np.linalg.norm(box,keepdims=True) np.linalg.norm(q,3,None,True)
    np.linalg.norm(box,1,(2,0)) np.linalg.norm(box,1,(0,2),True) np.linalg.norm(box,np.inf,(-1,0))
    np.linalg.norm(box,-2,(1,-1),True) np.linalg.norm(box,3,1) np.linalg.norm(box,axis=(1,))
    np.linalg.norm(box,0,-1,True) np.linalg.norm(g,-1) np.linalg.norm(g,'fro',(1,0))
    np.linalg.cond(g) np.linalg.cond(g,2) np.linalg.cond(g,-2) np.linalg.cond(cube,-2)
    np.linalg.cond(cube,'fro') np.linalg.cond(cube,-1) np.linalg.cond(c,np.inf)
    np.linalg.cond(zeros) np.linalg.cond(zeros,-2) np.linalg.cond(zeros,1)
    np.linalg.cond(np.stack([zeros+1.,square[:2,:2]]),1) np.linalg.cond(zeros+1.,'fro')
    np.linalg.cond(np.stack([zeros+np.inf,zeros*np.nan]),1) np.diag_indices_from(cube)
    np.intersect1d(j,[1.,5.,7.]) np.intersect1d([3,1],[1,2,3],True) np.intersect1d(5,j)
    np.delete(q,1) np.delete(q,-1) np.delete(g,1,0) np.delete(g,[0,2],1) np.delete(g,0) np.max(p)
    np.min(p) np.max(p,0) np.min(p,1,None,True) np.amax(p) np.nanmax(p) np.nanmin(p,0) np.abs(p)
    abs(p) np.absolute(p) np.ceil(p) np.floor(p) np.trunc(p) np.fix(p) np.clip(p,p,None)
    np.clip(p,None,r) np.clip(p,True,False) np.clip(p,False,True) np.clip(p,r[0],p) np.clip(p,0,1)
    np.clip(p,False,1) np.clip(p,[True,False,False],None) p.max() p.min(1) p.clip(False)
    np.unique(p) np.diff(p) np.diff(p,axis=0) np.diff(p,2) np.diff(p,3,1) np.diff(p,prepend=r)
    np.diff(p,append=2) np.cumsum(p,1) np.sum(p) np.prod(p) np.argmax(p) np.maximum(p,r)
    np.minimum(p,r) np.fmax(p,r) p@r.T np.matmul(p,r.T) np.dot(p,r.T) np.inner(p,r) np.vdot(p,r)
    np.vecdot(p,r) np.tensordot(p,r) np.tensordot(p,r,0) np.outer(p,r) np.kron(p,r)
    np.convolve(p[0],r[1]) np.correlate(p[0],r[0],'full') np.einsum('ij,ij',p,r)
    np.einsum('ij->i',p) np.einsum('ij,kj->ik',p,r) np.einsum('ii',p[:,:2]) p@p.T.astype(int)
    np.matmul(p,h) np.dot(h.T,r.T) p[0]@[True,False,True] np.add(p,r) np.multiply(p,r)
    np.where(np.max(p,0),1,2) ~np.max(p) ~np.min(p,0) ~np.diff(p) p[:,np.max(p,0)]
    p[0][np.diff(p[0],append=False)] np.max(p,initial=False) np.max(p,1,where=r,initial=False)
    np.quantile(k[1],1) np.quantile(k[1],[0,1]) np.percentile(k[1],[0,100]) np.take(d,[])
    np.take(d,[],0) np.take(d[:0],[],mode='wrap') np.ix_([],[1])[0] np.ix_([True],[])[1]
    np.delete(d,[]) np.unravel_index([5,0],(2,3))[0] np.ravel_multi_index(([0,1],[2,0]),(2,3))
    np.rot90(d,1,(1,0)) np.unravel_index(5,6)[0] np.resize(d,0) np.resize(d,()) np.ediff1d(d,[1],2)
    np.isposinf(k[1]) np.histogram(d[:0],2)[1] np.histogram(d,1,(2,2))[1]
    np.histogram(d,[1.,1.,9.])[0] np.digitize(d,[1,1,3]) np.digitize(d,[3,1,1]) np.digitize(d,[])
    np.quantile(d,[0,1]) np.diag_indices_from(d[:,:2])[1] np.vsplit(d,2)[1] np.ones_like(k[1])
    k[1]+1 k[1]*k[1] k[1]//2 k[1]%2 k[1]<<1 k[1]>>1 k[1]&1 k[1]|1 k[1]^1 ~k[1] k[1]==2 k[1][k[1]>1]
    np.sum(k[1]) np.unique_counts(k[1]).counts np.isin(k[1],np.asarray([1]))
    np.astype(k[1],np.float32) v*numpy.float32(2) numpy.float32(2)*v v*V np.sqrt(V)
    m[numpy.asarray([0,1])] np.zeros(2,dtype=numpy.float64) np.concat([v,i]) np.result_type(v,i)
    np.result_type(1,2.0) bool(np.ones(1)) f.__iadd__(np.astype(f,np.float64)) i/i np.std(i)
    np.sin(i) np.atan2(i,i) b.__iadd__(True) b.__imul__(b) np.add(b,b) True+b False*b
    np.zeros(2,dtype=numpy.dtype('int16')) np.asarray([1],dtype=numpy.float32)
    np.astype(i,numpy.dtype('int16')) np.astype(i,complex) np.astype(i,'uint8')
    np.zeros(2,dtype='uint8') np.asarray([1],dtype=bool) v+V v-V V-v v/V V/v v//V V//v v%V V%v u**V
    V**u v<V V<v v==V V==v v!=V V!=v v@V V@v V+v V*v z.view(float) v[:4].view(complex)
    np.ones((2,3),dtype=np.int16).nbytes np.ones(2,dtype=np.int16).itemsize k.item(0,1) k.tolist()
    np.result_type(True) np.result_type(True,False) np.result_type(1) np.result_type(True,1)
    np.result_type(2.0,True) np.result_type(1j) np.result_type(True,1j)
    np.quantile(v,0.5,method='linear') np.gradient(v,edge_order=numpy.int64(1))
    np.einsum('iii',cube) np.einsum('iii->i',cube) np.einsum('ijj,jji->',cube,cube)
    np.einsum('iii,iii->i',cube,cube) np.meshgrid(square[:2,:2],[1,2])
    np.linalg.cond(np.ones((0,2,2))) np.linalg.cond(np.ones((0,2,2)),1) (m+1j).real (m+1j).imag
    m[None,...].squeeze(axis=0) m.prod(axis=1,keepdims=True) m.min(axis=-1) m.std(axis=0,ddof=1)
    m.dot(m.transpose()) m.clip(1.0,3.0) m.view(np.int64) m.astype(numpy.int32)
    np.vecdot(g,g,axis=0) np.linalg.vecdot(g,g,axis=0) np.bincount([1,3]) np.bincount(i,V)
    np.convolve(i,v) np.convolve(V,w) np.median(i) np.median([1.0,3.0])
    np.linalg.lstsq(h,[1,3,6],rcond=None)[0]
"""
"""The calls of NumPy's that relaxed mode takes and strict mode refuses."""

MORE = [
    *(f"np.{f}.{call}" for f in "add subtract multiply maximum minimum".split() for call in
      ("reduce(m)", "reduce(k,1)", "reduce(m,-1)", "accumulate(m,axis=1)", "accumulate(k,0)",
       "outer(k,k[0])", "outer(m,m[0])")),
    *(f"np.{f}.{call}" for f in ("hypot", "logical_xor") for call in
      ("reduce(m)", "reduce(m,-1)", "accumulate(m,axis=1)", "outer(m,m[0])")),
    *(f"np.cov({x},ddof={d})" for x in ("[[1.0],[2.0]]", "[1.0]", "[[1.0,4.0],[2.0,0.0]]")
      for d in (None, 0, 1, 2, 5)),
    *(f"np.linalg.lstsq(np.diag([1.0,0.6,1e-2,1e-17]),np.ones(4),rcond={r})[0]"
      for r in (-1, 0, 1e-30, 1e-3, 0.5, 0.999, 1, 7.0)),
]  # fmt: skip
"""Calls that differ by one word."""


def expressions(text: str) -> list[str]:
    """The expressions of a table."""
    return [e.replace("␣", " ") for e in text.split()]


TABLE = dict.fromkeys(expressions(STANDARD), True)
TABLE |= dict.fromkeys(expressions(RELAXED) + MORE, False)
"""The expressions, each with whether strict mode takes it."""


def rows(text: str) -> list[tuple[str, str]]:
    """The expressions of a table with words: each with its words."""
    lines = [line.rpartition(" | ") for line in text.strip().splitlines()]
    return [(said.strip(), e) for said, _, found in lines for e in expressions(found)]


def relaxed(on: Any = True, default: Any = "float64") -> contextlib.AbstractContextManager[Any]:
    return xp.options(relaxed=on, default_float=default, device="cpu")


@functools.cache
def words(code: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", code))


def narrow(value: Any) -> Any:
    """The array in the narrower data type of its kind."""
    kinds = {"f": "float32", "c": "complex64", "i": "int32"}
    return value.astype(kinds.get(value.dtype.kind, value.dtype))


def given(module: Any, code: str, change: Callable[[Any], Any] = lambda v: v) -> dict[str, Any]:
    """Return what code names: arrays of a module, and the module itself as ``np``."""
    made = {n: change(VALUES[n].copy()) for n in words(code) if n in VALUES}
    if module is xp:
        made = {name: xp.asarray(value) for name, value in made.items()}
    own = {"np": module, "numpy": np, "V": VALUES["v"].copy(), "setattr": setattr}
    return {**own, "lambda_ij": lambda i, j: i * 10.0 + j, **made}


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """NumPy's warnings of numbers, and of what it will not do for long."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", np.exceptions.RankWarning)
        yield


def of_numpy(code: str, change: Callable[[Any], Any] = lambda v: v, **more: Any) -> Any:
    with quiet():
        return eval(code, {**given(np, code, change), **more})


def of_ours(code: str, change: Callable[[Any], Any] = lambda v: v, **more: Any) -> Any:
    return eval(code, {**given(xp, code, change), **more})


def parts(result: Any) -> Iterator[Any]:
    if isinstance(result, (tuple, list)):
        for part in result:
            yield from parts(part)
    else:
        yield result


def same(got: Any, expected: Any, *, kinds: bool = False) -> None:
    """Check that a result is NumPy's: the shape, the data type, the values (floats to rounding).

    With ``kinds`` the kind of the data type, and values to the rounding of float32.
    """
    got, expected = list(parts(got)), list(parts(expected))
    assert len(got) == len(expected)
    for a, b in zip(got, expected):
        if isinstance(a, (xp.Array, np.ndarray)):
            a, b = np.asarray(a) if isinstance(a, np.ndarray) else to_numpy(a), np.asarray(b)
            assert a.dtype.kind == b.dtype.kind if kinds else a.dtype == b.dtype
            assert a.shape == b.shape
            if b.dtype.kind in "biu":
                np.testing.assert_array_equal(a, b)
            else:
                coarse = {2: 2e-3, 4: 1e-5}.get(b.real.itemsize, 1e-12)
                rtol = max(coarse, 2e-5 * kinds)
                np.testing.assert_allclose(a, b, rtol, atol=rtol / 10)
        elif isinstance(a, type(xp.float64)):
            assert dt.NAMES[a] == np.dtype(b).name
        elif isinstance(a, float):
            np.testing.assert_allclose(a, b, rtol=2e-5 if kinds else 1e-12)
        elif not isinstance(a, xp.Device):
            assert a == b


def outcome(function: Callable[..., Any], *given: Any) -> Any:
    """Return what a function gives, or the error that it raises."""
    try:
        with np.errstate(all="ignore"):
            return function(*given)
    except (ArithmeticError, IndexError, TypeError, ValueError) as error:
        return error
