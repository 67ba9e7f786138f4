"""Digits that are told apart by principal components and a ridge, by scikit-learn."""

import numpy as np
import sklearn
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


@sklearn.config_context(array_api_dispatch=True)
def run():
    data, labels = load_digits(return_X_y=True)
    data = data.astype(np.float64) / 16
    train, test, known, asked = train_test_split(data, labels, random_state=0)
    pca = PCA(n_components=30, svd_solver="full")
    steps = make_pipeline(StandardScaler(), pca, RidgeClassifier(solver="svd"))
    steps.fit(train, known)
    found = steps.predict(test)
    right = confusion_matrix(asked, found).diagonal()
    wrong = np.flatnonzero(found != asked)
    report = f"{accuracy_score(asked, found):.3f} right, {(found == asked).mean():.3f} too"
    return found, right, wrong, pca.explained_variance_, steps.decision_function(test), report
